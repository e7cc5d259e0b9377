import { describe, expect, test } from 'vitest'
import { shareDaemon } from '../kit/daemon.ts'
import { addDocument, operate, readDetails, readCode, readDocument, runOperation } from './document-kit.ts'
import { drawCells, drawRuledTable, makePdf, makePicture, makeTiff } from './make-pdf.ts'

interface Text {
  pages: { page: number; text: string; from: string }[]
}
interface Tables {
  tables: { page: number; found_by: string; cells: string[][]; spans: object[] }[]
}
interface Recognized {
  languages: string[]
  pages: {
    page: number
    unit: string
    width: number
    height: number
    text: string
    words: { text: string; box: { x0: number; y0: number } }[]
  }[]
}
const shared = shareDaemon()
const CELLS = [
  ['Item', 'Count', 'Price'],
  ['Blue pen', '12', '3.50'],
  ['Red pen', '7', '4.25'],
]

describe('text', () => {
  test('the text of chosen pages comes with its page numbers, and as plain text', async () => {
    const pdf = await makePdf((pen) => {
      for (const word of ['First', 'Second', 'Third', 'Fourth']) {
        pen.addPage()
        pen.write(`${word} page`, 50, 50)
      }
    })
    const { document_ref } = await addDocument(shared(), pdf, { name: 'letter.pdf' })
    const done = await runOperation(shared(), 'extract_text', document_ref, { page_range: '2-3' })
    const texts = done.output.json<Text>().pages.map(({ text, ...page }) => ({ ...page, text: text.trim() }))
    expect(texts).toEqual([
      { page: 2, text: 'Second page', from: 'text_layer' },
      { page: 3, text: 'Third page', from: 'text_layer' },
    ])
    expect(done).toMatchObject({ status: 'ok', capability: 'extract_text', state: 'succeeded', warning_codes: [] })
    const plain = await readDocument(shared(), done.further_output_refs[0] ?? '')
    expect(plain.headers['content-type']).toContain('text/plain')
    expect(plain.headers['content-disposition']).toContain('letter.pdf.extract_text.txt')
    expect(plain.body).toContain('Third page')
    expect(plain.body).not.toContain('Fourth page')
  })

  test('pages beyond the end are left out with a warning, and only such pages are refused', async () => {
    const { document_ref } = await addDocument(shared(), await makePdf((pen) => pen.write('Alone', 50, 50)))
    const done = await runOperation(shared(), 'extract_text', document_ref, { page_range: '1-9' })
    expect([done.output.json<Text>().pages.length, done.warning_codes]).toEqual([1, ['PAGE_RANGE_BEYOND_END']])
    const refused = await operate(shared(), 'extract_text', document_ref, { page_range: '5-9' })
    expect([readCode(refused), readDetails(refused)['reason_code']]).toEqual([
      'ACROBAT_EXTRACTION_FAILED',
      'page_range_empty',
    ])
  })

  test('a scanned page has no text unless OCR is asked for', async () => {
    const png = makePicture(['Invoice for Ada', 'Total 42 Euro'])
    const pdf = await makePdf(async (pen) => {
      pen.write('Cover letter', 50, 50)
      pen.addPage()
      await pen.picture(png)
    })
    const { document_ref } = await addDocument(shared(), pdf)
    const plain = await runOperation(shared(), 'extract_text', document_ref)
    expect(plain.output.json<Text>().pages.map(({ from }) => from)).toEqual(['text_layer', 'none'])
    expect(plain.warning_codes).toEqual(['PAGE_WITHOUT_TEXT'])
    const read = await runOperation(shared(), 'extract_text', document_ref, { ocr_fallback: true })
    expect(read.output.json<Text>().pages.map(({ from }) => from)).toEqual(['text_layer', 'ocr'])
    expect(read.output.json<Text>().pages[1]?.text).toMatch(/Invoice for Ada\nTotal 42 Euro/)
  })
})

describe('tables', () => {
  test('a ruled table is found in the strict mode, as JSON and CSV', async () => {
    const { document_ref } = await addDocument(shared(), await makePdf((pen) => drawRuledTable(pen, CELLS)))
    const done = await runOperation(shared(), 'extract_tables', document_ref, { table_mode: 'strict' })
    expect(done.output.json<Tables>().tables).toMatchObject([{ page: 1, found_by: 'rules', cells: CELLS, spans: [] }])
    const csv = await readDocument(shared(), done.further_output_refs[0] ?? '')
    expect(csv.headers['content-type']).toContain('text/csv')
    expect(csv.body).toBe('Item,Count,Price\r\nBlue pen,12,3.50\r\nRed pen,7,4.25\r\n')
  })

  test('a table without lines is found in the mode auto and not in the strict one', async () => {
    const { document_ref } = await addDocument(
      shared(),
      await makePdf((pen) => {
        drawCells(pen, CELLS)
        drawRuledTable(pen, CELLS.slice(0, 2), { y: 400 })
      }),
    )
    const auto = await runOperation(shared(), 'extract_tables', document_ref)
    expect(auto.output.json<Tables>().tables).toMatchObject([
      { found_by: 'alignment', cells: CELLS },
      { found_by: 'rules', cells: CELLS.slice(0, 2) },
    ])
    const strict = await runOperation(shared(), 'extract_tables', document_ref, { table_mode: 'strict' })
    expect(strict.output.json<Tables>().tables.map(({ found_by }) => found_by)).toEqual(['rules'])
  })

  test('the layout mode keeps every line of the page, with columns', async () => {
    const { document_ref } = await addDocument(
      shared(),
      await makePdf((pen) => {
        pen.write('Price list of the shop', 50, 60)
        drawCells(pen, CELLS)
      }),
    )
    const done = await runOperation(shared(), 'extract_tables', document_ref, {
      table_mode: 'layout_preserving',
    })
    expect(done.output.json<Tables>().tables).toMatchObject([
      { found_by: 'layout', cells: [['Price list of the shop', '', ''], ['', '', ''], CELLS[0], CELLS[1], CELLS[2]] },
    ])
  })

  test('a table on a rotated page is read as it is displayed', async () => {
    const pdf = await makePdf((pen) => {
      pen.addPage({ turned: true })
      drawRuledTable(pen, CELLS, { x: 300 })
    })
    const { document_ref } = await addDocument(shared(), pdf)
    const done = await runOperation(shared(), 'extract_tables', document_ref, { table_mode: 'strict' })
    expect(done.output.json<Tables>().tables).toMatchObject([
      { cells: CELLS, box: { x0: expect.closeTo(300, 0) as number } },
    ])
  })

  test('a page of running text has no table', async () => {
    const { document_ref } = await addDocument(
      shared(),
      await makePdf((pen) => {
        for (let line = 0; line < 12; line += 1)
          pen.write('Some words that follow each other in one line', 50, 50 + line * 14)
      }),
    )
    const done = await runOperation(shared(), 'extract_tables', document_ref)
    expect([done.output.json<Tables>().tables, done.warning_codes]).toEqual([[], ['NO_TABLES_FOUND']])
  })
})

describe('OCR', () => {
  test('words have boxes in points of the page, and the language can be chosen', async () => {
    const pdf = await makePdf((pen) => pen.picture(makePicture(['Guten Morgen'])))
    const { document_ref } = await addDocument(shared(), pdf)
    const done = await runOperation(shared(), 'ocr', document_ref, { language_hint: 'de' })
    expect(done.output.json<Recognized>().languages).toEqual(['deu'])
    const [page] = done.output.json<Recognized>().pages
    expect(page).toMatchObject({ page: 1, unit: 'pt', text: 'Guten Morgen' })
    expect([Math.round(page?.width ?? 0), Math.round(page?.height ?? 0)]).toEqual([595, 842])
    const first = page?.words[0]?.box
    // The text starts at 100 of 1240 points of the picture, and its capitals end 40 above its line at 200 of 1754.
    expect(Math.abs((first?.x0 ?? 0) - (100 / 1240) * 595)).toBeLessThan(6)
    expect(Math.abs((first?.y0 ?? 0) - (170 / 1754) * 842)).toBeLessThan(6)
  })

  test.each([
    ['image/jpeg', () => makePicture(['Invoice for Ada'], 'image/jpeg')],
    ['image/tiff', () => makeTiff(['Invoice for Ada'])],
  ] as const)('a picture of the type %s is stored and its text read', async (media_type, make) => {
    const document = await addDocument(shared(), make(), { name: 'scan' })
    expect(document).toMatchObject({ media_type })
    const done = await runOperation(shared(), 'ocr', document.document_ref)
    expect(done.output.json<Recognized>().pages[0]?.text).toContain('Invoice for Ada')
  })

  test('a picture is read in its own points, and a language that is not installed gives a warning', async () => {
    const { document_ref } = await addDocument(shared(), makePicture(['Good morning']), { name: 'scan.png' })
    const done = await runOperation(shared(), 'ocr', document_ref, { language_hint: 'xyz' })
    expect(done.warning_codes).toEqual(['OCR_LANGUAGE_UNAVAILABLE'])
    expect(done.output.json<Recognized>().languages).toContain('eng')
    expect(done.output.json<Recognized>().pages).toMatchObject([
      { unit: 'px', width: 1240, height: 1754, text: 'Good morning' },
    ])
  })
})
