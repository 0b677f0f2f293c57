// Keys that work everywhere must not disturb somebody who types.

export const inField = (element) => element.closest?.("input, textarea, select, [contenteditable]") != null;
