/** A part of a picture in pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Finds the smallest box that contains all pixels in which two pictures of the same size differ. */
export function findChangedBox(
  before: Uint32Array,
  after: Uint32Array,
  { width, height }: Pick<Box, 'width' | 'height'>,
): Box | undefined {
  const isRowEqual = (row: number): boolean => findDifference(before, after, row * width, (row + 1) * width) < 0
  let top = 0
  while (top < height && isRowEqual(top)) top += 1
  if (top === height) return undefined
  let bottom = height - 1
  while (isRowEqual(bottom)) bottom -= 1
  let left = width
  let right = -1
  for (let row = top; row <= bottom; row += 1) {
    const start = row * width
    const first = findDifference(before, after, start, start + left)
    if (first >= 0) left = first - start
    let last = width - 1
    while (last > right && before[start + last] === after[start + last]) last -= 1
    right = Math.max(right, last)
  }
  return { left, top, width: right - left + 1, height: bottom - top + 1 }
}

function findDifference(before: Uint32Array, after: Uint32Array, from: number, to: number): number {
  for (let at = from; at < to; at += 1) {
    if (before[at] !== after[at]) return at
  }
  return -1
}
