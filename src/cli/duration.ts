/** Durations on the command line: `15m`, `24h`, `30d`. */
import { InvalidArgumentError } from "commander";

const SECONDS_OF_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Whole seconds; for commander, which shows the message beside the option. */
export function seconds(text: string): number {
  const [, count, unit = ""] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  const ofUnit = SECONDS_OF_UNIT[unit];
  if (count === undefined || ofUnit === undefined) {
    throw new InvalidArgumentError("Write a number and s, m, h or d, such as 15m or 30d.");
  }
  return Number(count) * ofUnit;
}

/** A whole number above zero. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError("Write a whole number above zero.");
  return Number(text);
}
