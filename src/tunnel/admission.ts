/** A token bucket: so many connections a second, the rest told when to come back. A deploy's herd costs CPU otherwise. */

export class AdmissionBucket {
  readonly #perSecond: number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
    this.#at = nowMs;
  }

  /** Undefined = admitted; otherwise the seconds after which to try again, spread so that the herd stays spread. */
  take(nowMs: number, random: () => number): number | undefined {
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((nowMs - this.#at) / 1000) * this.#perSecond);
    this.#at = nowMs;
    if (this.#tokens < 1) return 1 + Math.floor(random() * 10);
    this.#tokens -= 1;
    return undefined;
  }
}
