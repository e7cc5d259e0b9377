import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatLineDiff } from '../../src/domain/proposals/content/diff.ts'

/** Applies a unified diff by its line numbers, as `patch` does. */
function applyDiff(before: string, diff: string): string {
  const old = before.split('\n')
  if (old.at(-1) === '') old.pop()
  const out: string[] = []
  let at = 0
  for (const hunk of diff.split(/^(?=@@ )/m).filter((part) => part !== '')) {
    const [head = '', ...lines] = hunk.split('\n')
    const [, start, count] = /^@@ -(\d+),(\d+) /.exec(head) ?? []
    const from = Number(count) === 0 ? Number(start) : Number(start) - 1
    out.push(...old.slice(at, from))
    at = from
    for (const line of lines.slice(0, -1)) {
      const [mark, text] = [line[0], line.slice(1)]
      if (mark !== '+') {
        expect(old[at]).toBe(text)
        at += 1
      }
      if (mark !== '-') out.push(text)
    }
  }
  return [...out, ...old.slice(at)].map((line) => `${line}\n`).join('')
}

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', ' ', '- x', '+ y', '@@ -1,1 +1,1 @@z'), {
    maxLength: 30,
  })
  .map((lines) => lines.map((line) => `${line}\n`).join(''))

test('applying the diff to the old text gives the new text', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = formatLineDiff(before, after)
      expect(diff === '').toBe(before === after)
      // A line may look like a hunk header; the mark in front of it makes it different.
      expect(applyDiff(before, diff)).toBe(after)
    }),
  )
})

test('a diff contains three lines of context around each change', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}\n`)
  const after = lines.with(5, 'other\n').with(30, 'one more\n').join('')
  const diff = formatLineDiff(lines.join(''), after)
  expect(diff.match(/^@@.*$/gm)).toEqual(['@@ -3,7 +3,7 @@', '@@ -28,7 +28,7 @@'])
  expect(diff).not.toContain('line 15')
})

test('a missing newline at the end of a text is not a difference', () => {
  expect(formatLineDiff('a\nb', 'a\nb\n')).toBe('')
  expect(formatLineDiff('a\nb', 'a\nc\n')).toBe('@@ -1,2 +1,2 @@\n a\n-b\n+c\n')
})

const makeLines = (count: number, prefix: string): string =>
  Array.from({ length: count }, (_, at) => `${prefix} ${at}\n`).join('')

test.each([
  [0, 100_000],
  [100_000, 0],
  [100_000, 100_000],
  [501, 500],
])('a change of %i to %i lines replaces the whole text', (removed, added) => {
  const [before, after] = [makeLines(removed, 'old'), makeLines(added, 'new')]
  const diff = formatLineDiff(before, after)
  expect(diff.match(/^@@.*$/gm)).toHaveLength(1)
  expect(diff.split('\n').filter((line) => line.startsWith('-'))).toHaveLength(removed)
  expect(diff.split('\n').filter((line) => line.startsWith('+'))).toHaveLength(added)
  expect(applyDiff(before, diff)).toBe(after)
})

test('a small change of a large text is a small diff', () => {
  const before = makeLines(100_000, 'line')
  const after = before.replace('line 5\n', 'other\n').replace('line 99990\n', '')
  const diff = formatLineDiff(before, after)
  expect(diff.match(/^@@.*$/gm)).toEqual(['@@ -3,7 +3,7 @@', '@@ -99988,7 +99988,6 @@'])
})
