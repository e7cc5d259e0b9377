import type { BoundValue } from '../draft/bind-params.ts'
import type { ReportSource } from '../draft/choose-source.ts'
import { listExampleArgs, type SceneDraft } from '../draft/draft.ts'
import { toCode } from './script-parts.ts'

/** Spelled in parts, because bundlers replace the name wherever it is. */
const MODULE_URL = ['import', 'meta', 'url'].join('.')

/**
 * The test of a generated script. It loads the script as the platform does and calls its pure parts. With the text of the
 * script it is a program that reads no files.
 */
export function formatScriptTest(draft: SceneDraft, script?: string): string {
  const { source, tool } = draft
  const names =
    source?.kind === 'request'
      ? 'collect, judgeRows, listMissing, readAnswer, toArtifact, toRequest'
      : 'collect, judgeRows, listMissing, toArtifact'
  const read = `readFileSync(new URL(${JSON.stringify(`${tool}.js`)}, ${MODULE_URL}), 'utf8')`
  const readScript = `const source = ${script === undefined ? read : JSON.stringify(script)}`
  const modules = [
    ['assert', 'node:assert/strict'],
    ...(script === undefined ? [['{ readFileSync }', 'node:fs']] : []),
    ['{ test }', 'node:test'],
  ]
  return `${modules.map(([what, module]) => `import ${what} from '${module}'\n`).join('')}
${readScript}
const { ${names} } = new Function(source + ${JSON.stringify(`\nreturn { ${names} }`)})()
const args = ${toCode(listExampleArgs(draft))}
const types = { text: ['string'], date: ['string'], number: ['number'], percent: ['number'], boolean: ['boolean'] }

function assertReport(parts) {
  const report = toArtifact(args, parts, 'http://page.test/')
  assert.deepEqual(JSON.parse(JSON.stringify(report)), report)
  assert.equal(report.type, 'report-artifact')
  assert.ok(report.columns.length > 0)
  assert.equal(new Set(report.columns.map(({ key }) => key)).size, report.columns.length)
  for (const row of report.rows) {
    assert.deepEqual(Object.keys(row), report.columns.map(({ key }) => key))
    for (const { key, type } of report.columns) assert.ok(row[key] === null || types[type].includes(typeof row[key]), key)
  }
  return report
}

test('the script defines collect', () => assert.equal(typeof collect, 'function'))

test('arguments that are missing are named', () => {
  assert.deepEqual(listMissing(args), [])
  assert.deepEqual(listMissing({}), Object.keys(args))
})
${source?.kind === 'request' ? formatRequestTests(draft, source) : formatTableTests(source)}`
}

function formatTableTests(source: Extract<ReportSource, { kind: 'table' }> | undefined): string {
  const sample = source?.table.sample ?? []
  return `
const lines = ${toCode(sample)}

test('rows of the stored page become a report', () => {
  const report = assertReport(judgeRows(lines))
  assert.deepEqual([report.status, report.rows.length], ['ok', lines.length])
  assert.ok(report.columns.every(({ key }) => report.rows.some((row) => row[key] !== null)))
})

test('rows with missing cells are partial, and no rows are empty', () => {
  assert.equal(judgeRows([...lines, ['one cell']]).status, 'partial')
  assert.equal(assertReport(judgeRows([])).status, 'empty')
})
`
}

function formatRequestTests(draft: SceneDraft, source: Extract<ReportSource, { kind: 'request' }>): string {
  const { request, columns } = source
  const items =
    draft.samples.length > 0
      ? draft.samples.slice(0, 3)
      : [buildItem(columns.map(({ field = '', type }) => [field, type]))]
  const answer = placeAt(source.rows_path, items, request.total_path)
  return `
const answer = ${toCode(answer)}
const items = ${toCode(items)}
const COLUMN_FIELDS = ${JSON.stringify(columns.map(({ field = '' }) => field.split('.')[0]))}

test('the request has the given values and no others of the page', () => {
  const { url, init } = toRequest(args, 1)
  const sent = new URL(url, 'http://page.test/')
  assert.equal(init.method, ${JSON.stringify(request.method)})
  assert.equal(decodeURIComponent(sent.pathname), new URL(${JSON.stringify(formatPath(draft.values, request.url))}, 'http://page.test/').pathname)
  assert.deepEqual(Object.fromEntries(sent.searchParams), ${toCode(listExamples(draft.values, 'query'))})
${formatBodyAssertion(draft.values, request.body)}})

test('an answer becomes a report', () => {
  const read = readAnswer(200, JSON.stringify(answer))
  assert.deepEqual(read.items, items)
  const report = assertReport(judgeRows(read.items, items.length))
  assert.deepEqual([report.status, report.rows.length], ['ok', items.length])
  assert.ok(report.columns.every(({ key }) => report.rows.some((row) => row[key] !== null)))
})

test('fewer rows than the system states are partial, and no rows are empty', () => {
  assert.equal(assertReport(judgeRows(items, items.length + 1)).status, 'partial')
  assert.equal(assertReport(judgeRows([], 0)).status, 'empty')
})

test('a field that no row has is named', () => {
  const [first] = items
  const fields = Object.keys(first)
  assert.equal(judgeRows([Object.fromEntries(fields.slice(1).map((key) => [key, first[key]]))], 1).status, COLUMN_FIELDS.includes(fields[0]) ? 'partial' : 'ok')
})

test('a login and an error have states of their own', () => {
  assert.equal(readAnswer(401, '').status, 'blocked')
  assert.equal(readAnswer(200, '<html>login</html>').status, 'blocked')
  assert.equal(readAnswer(500, '').status, 'error')
  assert.equal(readAnswer(200, '"other"').status, 'error')
})
`
}

const EXAMPLES = { text: 'text', number: 12.5, percent: 97.5, date: '2026-03-14', boolean: true } as const

function buildItem(fields: readonly (readonly [string, keyof typeof EXAMPLES])[]): Record<string, unknown> {
  const item: Record<string, unknown> = {}
  for (const [field, type] of fields) setAt(item, field.split('.'), EXAMPLES[type])
  return item
}

function setAt(target: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[key] = value
    return
  }
  const inner = (target[key] ?? {}) as Record<string, unknown>
  target[key] = inner
  setAt(inner, rest, value)
}

function placeAt(path: string, items: readonly unknown[], totalPath: string | undefined): unknown {
  if (path === '') return items
  const answer: Record<string, unknown> = {}
  setAt(answer, path.split('.'), items)
  if (totalPath !== undefined && totalPath !== '') setAt(answer, totalPath.split('.'), items.length)
  return answer
}

const listExamples = (values: readonly BoundValue[], place: string): Record<string, string> =>
  Object.fromEntries(
    values.flatMap(({ parameter, example }) =>
      parameter.in === place && example !== undefined ? [[parameter.name, example]] : [],
    ),
  )

/** The values of a JSON body. Numbers and booleans are not text. */
const listRawExamples = (values: readonly BoundValue[]): Record<string, unknown> =>
  Object.fromEntries(
    values.flatMap(({ parameter, example, is_raw }) =>
      parameter.in === 'body' && example !== undefined
        ? [[parameter.name, is_raw === true ? (JSON.parse(example) as unknown) : example]]
        : [],
    ),
  )

/** The path of the request with the values of the example. */
function formatPath(values: readonly BoundValue[], url: string): string {
  return values
    .filter(({ parameter }) => parameter.in === 'path')
    .reduce((path, { parameter, example = '' }) => path.replace(`{${parameter.name}}`, () => example), url)
}

function formatBodyAssertion(values: readonly BoundValue[], body: string): string {
  const expected = toCode(listExamples(values, 'body'))
  if (body === 'json') return `  assert.deepEqual(JSON.parse(init.body), ${toCode(listRawExamples(values))})\n`
  return body === 'form' ? `  assert.deepEqual(Object.fromEntries(new URLSearchParams(init.body)), ${expected})\n` : ''
}
