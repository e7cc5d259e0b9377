/** A growable list of integers in one typed array. */
export class IntList {
  #items = new Int32Array(256)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#items.length) {
      const larger = new Int32Array(this.#length * 2)
      larger.set(this.#items)
      this.#items = larger
    }
    this.#items[this.#length] = value
    this.#length += 1
  }

  set(at: number, value: number): void {
    this.#items[at] = value
  }

  /** The array itself. Items beyond `length` are undefined; a later `push` may replace the array. */
  get values(): Int32Array {
    return this.#items
  }
}
