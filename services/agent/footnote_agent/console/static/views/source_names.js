// How a source is named where its title stands beside it already.

/** The headings below the title, which is often the first of them. */
export const withoutTitle = ({ title, heading_path: headings = [] }) => (headings[0] === title ? headings.slice(1) : headings);
