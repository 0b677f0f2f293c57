/** When a ferry can lie at the berth of Helle, which falls dry at low spring tides. */

/** Water that MF Teist needs below her keel, in metres. */
export const KEEL_CLEARANCE_M = 0.6;
const DRAUGHT_M = 2.1;
const DEPTH_AT_CHART_DATUM_M = 1.9;

export interface TideReading {
  at: Date;
  aboveDatumM: number;
}

/** Whether MF Teist floats freely at the berth at this level of the tide. */
export function canBerth(reading: TideReading): boolean {
  return DEPTH_AT_CHART_DATUM_M + reading.aboveDatumM >= DRAUGHT_M + KEEL_CLEARANCE_M;
}

/** The first moment from which she can lie there, or null if the tide stays too low. */
export function firstWindow(readings: TideReading[]): Date | null {
  return readings.find(canBerth)?.at ?? null;
}
