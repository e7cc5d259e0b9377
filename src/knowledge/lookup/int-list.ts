/** A list of whole numbers that grows at its end, close together in memory. */
export class Numbers {
  #room = new Int32Array(256)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#room.length) {
      const larger = new Int32Array(this.#length * 2)
      larger.set(this.#room)
      this.#room = larger
    }
    this.#room[this.#length] = value
    this.#length += 1
  }

  put(at: number, value: number): void {
    this.#room[at] = value
  }

  /** What is behind its length means nothing. Holds until the next number comes. */
  get values(): Int32Array {
    return this.#room
  }
}
