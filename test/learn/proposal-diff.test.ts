import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from '../../src/domain/proposals/diff.ts'

/** Applies a unified diff the way `patch` does, line numbers and all. */
function patched(before: string, diff: string): string {
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

test('a diff makes the new text of the old one', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = lineDiff(before, after)
      expect(diff === '').toBe(before === after)
      // A line of a text may look like the head of a hunk; with its mark in front it never is one.
      expect(patched(before, diff)).toBe(after)
    }),
  )
})

test('only what is near a change is shown', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}\n`)
  const after = lines.with(5, 'other\n').with(30, 'one more\n').join('')
  const diff = lineDiff(lines.join(''), after)
  expect(diff.match(/^@@.*$/gm)).toEqual(['@@ -3,7 +3,7 @@', '@@ -28,7 +28,7 @@'])
  expect(diff).not.toContain('line 15')
})
