import { createPatch, OMIT_HEADERS } from 'diff'
import type { FileDiff } from '@apprentice/contracts/learn/proposal-review.ts'

/** The files of a draft that a reviewer compares. */
const COMPARED_FILES = ['SKILL.md', 'recipe.json']

/** Unchanged lines around each change. */
const CONTEXT_LINES = 3

/**
 * The maximum number of added and removed lines. The time of a comparison grows with the square of this number. Above
 * it the diff replaces the whole file.
 */
const MAX_EDIT_LENGTH = 1000

/** Returns the content of a file, or undefined if there is no such file. */
export type Contents = (name: string) => string | undefined

/** Compares SKILL.md and recipe.json. A file that exists on neither side is left out. */
export function compareFiles(before: Contents, after: Contents): FileDiff[] {
  return COMPARED_FILES.flatMap((name) => {
    const [oldText, newText] = [before(name), after(name)]
    return oldText === undefined && newText === undefined
      ? []
      : [{ name, diff: formatLineDiff(oldText ?? '', newText ?? '') }]
  })
}

/** A unified diff of two texts without file names. Empty if they differ in no line. */
export function formatLineDiff(before: string, after: string): string {
  const [oldText, newText] = [endLastLine(before), endLastLine(after)]
  if (oldText === newText) return ''
  const patch = createPatch('', oldText, newText, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
    headerOptions: OMIT_HEADERS,
  })
  return patch ?? replaceAllLines(oldText, newText)
}

/** A missing newline at the end of a text is not a difference. */
const endLastLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

function replaceAllLines(before: string, after: string): string {
  const [removed, added] = [listLines(before), listLines(after)]
  const header = `@@ -${formatRange(removed)} +${formatRange(added)} @@\n`
  return [header, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('')
}

const listLines = (text: string): string[] => text.match(/(?<![^\n])[^\n]*\n/gu) ?? []

const formatRange = (lines: readonly string[]): string => `${lines.length === 0 ? 0 : 1},${lines.length}`
