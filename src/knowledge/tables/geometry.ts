/** A rectangle. `y` grows downwards. */
export interface Box {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

/** A word of a page and where it stands. */
export interface Word extends Box {
  readonly text: string
}

/** A line that is drawn on a page: its place on the one axis, and its extent on the other. */
export interface Rule {
  readonly at: number
  readonly from: number
  readonly to: number
}

export interface Rules {
  readonly horizontal: readonly Rule[]
  readonly vertical: readonly Rule[]
}

/** A cell that is larger than one row and column. Rows and columns count from 0. */
export interface Span {
  readonly row: number
  readonly column: number
  readonly row_span: number
  readonly column_span: number
}

export interface Table {
  readonly found_by: 'rules' | 'alignment' | 'layout'
  readonly box: Box
  /** The text of each cell. The text of a larger cell is in its first row and column. */
  readonly cells: readonly (readonly string[])[]
  readonly spans: readonly Span[]
}

/** A page may have more words than a function takes arguments. */
export const joinBoxes = (boxes: readonly Box[]): Box =>
  boxes.reduce(
    (all, { x0, y0, x1, y1 }) => ({
      x0: Math.min(all.x0, x0),
      y0: Math.min(all.y0, y0),
      x1: Math.max(all.x1, x1),
      y1: Math.max(all.y1, y1),
    }),
    { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity },
  )

export const roundBox = ({ x0, y0, x1, y1 }: Box): Box => ({
  x0: round(x0),
  y0: round(y0),
  x1: round(x1),
  y1: round(y1),
})

const round = (value: number): number => Math.round(value * 100) / 100

export const findCenter = ({ x0, y0, x1, y1 }: Box): { readonly x: number; readonly y: number } => ({
  x: (x0 + x1) / 2,
  y: (y0 + y1) / 2,
})

/** Words of one line of text, from left to right. */
export interface TextLine {
  readonly box: Box
  readonly words: readonly Word[]
}

/** The lines of text, from top to bottom. Words are in one line if the middle of one is in the height of the other. */
export function groupLines(words: readonly Word[]): TextLine[] {
  const lines: { box: Box; words: Word[] }[] = []
  for (const word of words.toSorted((a, b) => findCenter(a).y - findCenter(b).y || a.x0 - b.x0)) {
    const line = lines.at(-1)
    const { y } = findCenter(word)
    if (line !== undefined && y < line.box.y1 && findCenter(line.box).y > word.y0) {
      line.words.push(word)
      // The height stays that of the first word, so that a large word does not join two lines.
      line.box = { ...line.box, x0: Math.min(line.box.x0, word.x0), x1: Math.max(line.box.x1, word.x1) }
    } else {
      const { x0, y0, x1, y1 } = word
      lines.push({ box: { x0, y0, x1, y1 }, words: [word] })
    }
  }
  return lines.map(({ words: own }) => {
    const sorted = own.toSorted((a, b) => a.x0 - b.x0)
    return { box: joinBoxes(sorted), words: sorted }
  })
}

/** The text of words in reading order. */
export const joinText = (words: readonly Word[]): string =>
  groupLines(words)
    .flatMap((line) => line.words.map(({ text }) => text))
    .join(' ')

/** The middles of groups of values that are at most `gap` apart, in order. */
export function clusterValues(values: readonly number[], gap: number): number[] {
  const groups: number[][] = []
  for (const value of values.toSorted((a, b) => a - b)) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group !== undefined && last !== undefined && value - last <= gap) group.push(value)
    else groups.push([value])
  }
  return groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length)
}
