// Where the rows of a long list lie, of which only those in sight exist. Heights are estimated until a row was seen.

export interface Span { first: number; last: number }

export class Heights {
  #estimate: number;
  #heights: Float64Array = new Float64Array(0);
  #offsets: Float64Array = new Float64Array(1); // one more than rows: the last is the whole height
  #count = 0;
  #valid = 0; // offsets up to this row are right

  constructor(estimate: number) {
    this.#estimate = estimate;
  }

  get count() { return this.#count; }

  /** Rows that are kept keep their heights; `keep` is how many at the beginning. */
  resize(count: number, keep = Math.min(count, this.#count)) {
    if (count > this.#heights.length) {
      const room = Math.max(count, this.#heights.length * 2, 64);
      const heights = new Float64Array(room);
      heights.set(this.#heights.subarray(0, keep));
      this.#heights = heights;
      const offsets = new Float64Array(room + 1);
      offsets.set(this.#offsets.subarray(0, Math.min(this.#offsets.length, room + 1)));
      this.#offsets = offsets;
    }
    this.#heights.fill(this.#estimate, keep, count);
    this.#count = count;
    this.#valid = Math.min(this.#valid, keep);
  }

  /** Whether that was news. */
  set(row: number, height: number): boolean {
    if (row < 0 || row >= this.#count || Math.abs(this.#heights[row]! - height) < 0.5) return false;
    this.#heights[row] = height;
    this.#valid = Math.min(this.#valid, row);
    return true;
  }

  offset(row: number): number {
    this.#reckon(row);
    return this.#offsets[row]!;
  }

  get total(): number {
    return this.offset(this.#count);
  }

  /** The rows that lie between two heights, with some more on both sides. */
  span(top: number, bottom: number, more: number): Span {
    if (this.#count === 0) return { first: 0, last: -1 };
    const first = Math.max(0, this.#rowAt(top) - more);
    const last = Math.min(this.#count - 1, this.#rowAt(bottom) + more);
    return { first, last };
  }

  #rowAt(y: number): number {
    this.#reckon(this.#count);
    let low = 0;
    let high = this.#count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#offsets[middle]! <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #reckon(row: number) {
    const until = Math.min(row, this.#count);
    for (let at = this.#valid; at < until; ++at) this.#offsets[at + 1] = this.#offsets[at]! + this.#heights[at]!;
    this.#valid = Math.max(this.#valid, until);
  }
}
