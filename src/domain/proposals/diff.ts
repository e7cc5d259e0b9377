import type { FileDiff } from '@apprentice/contracts/learn/proposal-review.ts'

/** The files a reviewer compares. */
const compared = ['SKILL.md', 'recipe.json']

export type Contents = (name: string) => string | undefined

/** How the files people read differ; a file on neither side is left out. */
export function compareFiles(before: Contents, after: Contents): FileDiff[] {
  return compared.flatMap((name) => {
    const [old, now] = [before(name), after(name)]
    return old === undefined && now === undefined
      ? []
      : [{ name, diff: lineDiff(old ?? '', now ?? '') }]
  })
}

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

const around = 3

/** A unified diff of two texts, without file names; empty when they are the same. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return ''
  const lines = diffLines(linesOf(before), linesOf(after))
  return hunksOf(lines)
    .map(([from, to]) => hunkText(lines, from, to))
    .join('')
}

const linesOf = (text: string): string[] => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Beyond this many comparisons a changed part is told as replaced as a whole. */
const mostCells = 4_000_000

function diffLines(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const room = Math.min(before.length, after.length) - start
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const [old, now] = [
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  ]
  return [
    ...before.slice(0, start).map(same),
    ...(old.length * now.length > mostCells ? replaced(old, now) : changed(old, now)),
    ...before.slice(before.length - end).map(same),
  ]
}

const same = (text: string): Line => ({ mark: ' ', text })

const replaced = (old: readonly string[], now: readonly string[]): Line[] => [
  ...old.map((text): Line => ({ mark: '-', text })),
  ...now.map((text): Line => ({ mark: '+', text })),
]

/** Keeps as many lines as can be kept in their order; what goes is told before what comes. */
function changed(old: readonly string[], now: readonly string[]): Line[] {
  const width = now.length + 1
  // kept[i * width + j]: how many lines the rests from i and from j have in common.
  const kept = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [down, right] = [kept[(i + 1) * width + j] ?? 0, kept[i * width + j + 1] ?? 0]
      kept[i * width + j] =
        old[i] === now[j] ? (kept[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(down, right)
    }
  }
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [left, right] = [old[i], now[j]]
    if (left !== undefined && left === right) {
      lines.push(same(left))
      i += 1
      j += 1
    } else if (
      left !== undefined &&
      (right === undefined || (kept[(i + 1) * width + j] ?? 0) >= (kept[i * width + j + 1] ?? 0))
    ) {
      lines.push({ mark: '-', text: left })
      i += 1
    } else {
      lines.push({ mark: '+', text: right ?? '' })
      j += 1
    }
  }
  return lines
}

/** Spans of lines with a change in them and a few around it; spans that touch are one. */
function hunksOf(lines: readonly Line[]): [number, number][] {
  const hunks: [number, number][] = []
  for (const [at, { mark }] of lines.entries()) {
    if (mark === ' ') continue
    const [from, to] = [Math.max(0, at - around), Math.min(lines.length, at + around + 1)]
    const last = hunks.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = to
    else hunks.push([from, to])
  }
  return hunks
}

function hunkText(lines: readonly Line[], from: number, to: number): string {
  const part = lines.slice(from, to)
  const span = (without: Line['mark']): string => {
    const before = lines.slice(0, from).filter(({ mark }) => mark !== without).length
    const count = part.filter(({ mark }) => mark !== without).length
    return `${count === 0 ? before : before + 1},${count}`
  }
  const text = part.map(({ mark, text }) => `${mark}${text}\n`).join('')
  return `@@ -${span('+')} +${span('-')} @@\n${text}`
}
