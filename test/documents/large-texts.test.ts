import { expect, test } from 'vitest'
import { cleanText } from '../../src/knowledge/documents/page-words.ts'
import { EngineFault } from '../../src/documents/engine-fault.ts'
import { joinPieces, printResult, separateTexts } from '../../src/documents/printed-result.ts'
import { startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'
import { addDocument, operate, readDocument } from './document-kit.ts'

const LONGEST_TURN_MS = 200
const [PAGES, LINES] = [100, 700]
const LINE = `${'word '.repeat(20)}end`

/** A PDF whose pages share one long text, so that the file is small. */
function makeLongDocument(): Buffer {
  const lines = Array.from({ length: LINES }, (_, at) => `1 0 0 1 10 ${LINES - at} Tm (${at} ${LINE}) Tj`)
  const content = `BT /F 1 Tf ${lines.join(' ')} ET`
  const kids = Array.from({ length: PAGES }, (_, at) => `${at + 5} 0 R`).join(' ')
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 3 0 R >> >> >>`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${PAGES} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...Array.from({ length: PAGES }, () => page),
  ]
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('')
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF\n`)
}

test('reading a document with five million characters delays no other request', async () => {
  const daemon = await startDaemon()
  const { document_ref } = await addDocument(daemon, makeLongDocument())
  let read: { output_ref?: string; further_output_refs?: string[] } = {}
  const turn = await measureLongestTurn(async () => {
    const reply = await operate(daemon, 'extract_text', document_ref)
    expect(reply.statusCode, reply.body).toBe(200)
    read = reply.json<typeof read>()
  })
  expect(turn).toBeLessThan(LONGEST_TURN_MS)
  const written = (await readDocument(daemon, read.output_ref ?? '')).json<{
    pages: { page: number; text: string }[]
  }>()
  expect(written.pages.map(({ page }) => page)).toEqual(Array.from({ length: PAGES }, (_, at) => at + 1))
  const last = written.pages.at(-1)?.text ?? ''
  // The program leaves some of the small words out.
  expect(last.length).toBeGreaterThan(45_000)
  const plain = (await readDocument(daemon, read.further_output_refs?.[0] ?? '')).body
  expect(plain).toBe(written.pages.map(({ text }) => text).join('\f'))
}, 120_000)

test('a result is printed in pieces, as a whole it is JSON, and it has a bound', () => {
  const print = (count: number, text: string) =>
    joinPieces(
      printResult({
        head: { kind: 'a', source: { b: 1 } },
        list: { name: 'pages', items: Array.from({ length: count }, () => ({ text })) },
        tail: { warning_codes: ['x'], schema_version: 1 },
      }),
    )
  for (const count of [0, 1, 3]) {
    const pages = Array.from({ length: count }, () => ({ text: 'é"\n' }))
    const whole = [...print(count, 'é"\n')].join('')
    expect(whole).toBe(
      `${JSON.stringify({ kind: 'a', source: { b: 1 }, pages, warning_codes: ['x'], schema_version: 1 })}\n`,
    )
  }
  const pieces = [...print(300, 'x'.repeat(1000))]
  expect(pieces.length).toBeGreaterThan(3)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000)
  expect(() => [...print(70, 'x'.repeat(1 << 20))]).toThrow(EngineFault)
  expect([...separateTexts(['a', 'b'], '\f', (one) => one)].join('')).toBe('a\fb')
})

test('a text loses characters that control a terminal or a parser, and no others', () => {
  expect(cleanText('a\u0000b\u001b[1m\u007f\u009fc\uFFFEd\uFFFF')).toBe('ab[1mcd')
  for (const kept of ['', 'plain', '\u00a0ß中𝒳\uD800', '~\u00a0']) expect(cleanText(kept)).toBe(kept)
})
