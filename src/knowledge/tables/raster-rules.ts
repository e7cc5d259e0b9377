import type { Rule, Rules } from './geometry.ts'

/** A picture with one byte for each point, 0 is black. */
export interface GrayPicture {
  readonly width: number
  readonly height: number
  readonly points: Uint8Array
}

/** Points that are lighter than this are paper, or the fill of a row. */
const PAPER = 215
/** Shorter lines are parts of letters, in points of the page. */
const SHORTEST_HORIZONTAL = 12
const SHORTEST_VERTICAL = 9
/** Thicker ones are filled areas. */
const THICKEST = 3.5
/** More runs than this are a photograph. */
const MAX_RUNS = 20_000

interface Band {
  from: number
  to: number
  readonly first: number
  last: number
}

/**
 * Finds straight lines in a picture of a page. `scale` is the size of one point of the picture on the page. Pictures are
 * used instead of drawing commands, because their size has a bound, and lines of scanned pages are found too.
 */
export function findRasterRules(picture: GrayPicture, scale: number): Rules {
  return {
    horizontal: findRules(picture, { scale, shortest: SHORTEST_HORIZONTAL, isVertical: false }),
    vertical: findRules(picture, { scale, shortest: SHORTEST_VERTICAL, isVertical: true }),
  }
}

function findRules(
  { width, height, points }: GrayPicture,
  { scale, shortest, isVertical }: { scale: number; shortest: number; isVertical: boolean },
): Rule[] {
  const [lines, length] = isVertical ? [width, height] : [height, width]
  const [lineStep, pointStep] = isVertical ? [1, width] : [width, 1]
  const minRun = Math.max(4, Math.round(shortest / scale))
  const maxBand = Math.max(2, Math.ceil(THICKEST / scale))
  const rules: Rule[] = []
  let active: Band[] = []
  let runs = 0
  const close = ({ from, to, first, last }: Band): void => {
    if (last - first + 1 > maxBand) return
    rules.push({ at: ((first + last + 1) / 2) * scale, from: from * scale, to: to * scale })
  }
  for (let line = 0; line < lines; line += 1) {
    const next: Band[] = []
    for (const [from, to] of listRuns(points, line * lineStep, { length, pointStep, minRun })) {
      runs += 1
      const band = active.find((one) => one.last === line - 1 && doOverlap(one, from, to))
      if (band === undefined) next.push({ from, to, first: line, last: line })
      else {
        band.from = Math.min(band.from, from)
        band.to = Math.max(band.to, to)
        band.last = line
      }
    }
    if (runs > MAX_RUNS) return []
    for (const band of active) {
      if (band.last === line) next.push(band)
      else close(band)
    }
    active = next
  }
  for (const band of active) close(band)
  return rules
}

/** The stretches of dark points in one line of the picture. */
function listRuns(
  points: Uint8Array,
  start: number,
  { length, pointStep, minRun }: { length: number; pointStep: number; minRun: number },
): [number, number][] {
  const runs: [number, number][] = []
  let from = -1
  for (let at = 0; at <= length; at += 1) {
    const isDark = at < length && (points[start + at * pointStep] ?? 255) < PAPER
    if (isDark && from < 0) from = at
    if (isDark || from < 0) continue
    if (at - from >= minRun) runs.push([from, at])
    from = -1
  }
  return runs
}

/** Whether a run goes on with most of a band. A slanted line is thus several bands. */
function doOverlap(band: Band, from: number, to: number): boolean {
  const shared = Math.min(band.to, to) - Math.max(band.from, from)
  return shared >= Math.min(band.to - band.from, to - from) * 0.5
}

/** Reads a picture in the binary PGM format with one byte per point. Undefined if it is something else. */
export function parsePgm(bytes: Uint8Array): GrayPicture | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 64))
  const match = /^P5\s(\d{1,6})\s(\d{1,6})\s255\s/.exec(head)
  if (match === null) return undefined
  const [width, height] = [Number(match[1]), Number(match[2])]
  const points = bytes.subarray(match[0].length)
  return points.length < width * height ? undefined : { width, height, points }
}
