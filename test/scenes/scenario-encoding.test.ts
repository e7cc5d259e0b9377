import { expect, test } from 'vitest'
import { analyzeScenario } from '../../src/knowledge/scene-generator/analysis/analyze.ts'
import { decodeFiles, type ReadFile } from '../../src/knowledge/scene-generator/page/decode-files.ts'

/** 售电量 in GBK. */
const NAME = Buffer.from('cadbb5e7c1bf', 'hex')
const join = (...parts: (string | Buffer)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)))
const toFile = (path: string, raw: Buffer): ReadFile => ({ path, bytes: raw.length, raw })
const analyze = (...files: ReadFile[]) => analyzeScenario(decodeFiles(files))

test.each(['<meta charset="gbk">', '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'])(
  'a page and its scripts are decoded as the page declares: %s',
  (meta) => {
    const page = toFile('index.html', join(meta, '<title>', NAME, '</title><script src="a.js"></script>'))
    const script = toFile('a.js', join("const c = [{ field: 'a', title: '", NAME, "' }, { field: 'b', title: 'B' }]"))
    const analysis = analyze(page, script)
    expect(analysis.titles[0]?.value).toBe('售电量')
    expect(analysis.tables[0]?.columns[0]?.label).toBe('售电量')
    expect(analysis.uncertainties.map(({ code }) => code)).not.toContain('encoding_unknown')
  },
)

test('a file whose encoding nobody declares is not read', () => {
  const page = toFile('index.html', join('<title>', NAME, '</title>'))
  const analysis = analyze(page)
  expect(analysis.titles).toEqual([])
  expect(analysis.uncertainties.slice(0, 2).map(({ code, evidence }) => [code, evidence[0]?.file])).toEqual([
    ['encoding_unknown', 'index.html'],
    ['page_missing', undefined],
  ])
})

test('bytes that do not fit the declared encoding are not read', () => {
  const page = toFile('index.html', join('<meta charset="utf-8"><title>', NAME, '</title>'))
  expect(analyze(page).uncertainties.map(({ code }) => code)).toContain('encoding_unknown')
})
