import { expect, test } from 'vitest'
import type { SceneEvidence } from '@apprentice/contracts/scenes/analysis.ts'
import { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import { analyzeScenario } from '../../src/knowledge/scene-generator/analysis/analyze.ts'
import { SCENARIO_LIMITS } from '../../src/knowledge/scene-generator/source/scenario.ts'
import { readScenarioFolder } from './scenario-files.ts'

const analyze = (name: string) => SceneAnalysis.parse(analyzeScenario(readScenarioFolder(name)))
const analyzeScript = (text: string, page = '<!doctype html><title>T</title><script src="a.js"></script>') =>
  analyzeScenario([
    { path: 'index.html', bytes: page.length, text: page },
    { path: 'a.js', bytes: text.length, text },
  ])
const place = ({ file, line }: SceneEvidence) => `${file}:${line}`
const places = (found: readonly { evidence: readonly SceneEvidence[] }[]) =>
  found.map(({ evidence }) => evidence.map(place))
const listOpen = ({ uncertainties }: ReturnType<typeof analyze>) =>
  uncertainties.map(({ code, evidence }) => [code, ...evidence.map(place)])

test('a static table: its columns, a sample of its rows, and the address it was saved from', () => {
  const analysis = analyze('static-table')
  expect(analysis.target_urls).toMatchObject([{ value: 'http://tariffs.example/electricity/current' }])
  expect(places(analysis.target_urls)).toEqual([['index.html:1']])
  expect(analysis.modes.map(({ value }) => value)).toEqual(['table'])
  const [table] = analysis.tables
  expect(table?.columns.map(({ label, key }) => [label, key])).toEqual([
    ['Tariff', undefined],
    ['Valid from', undefined],
    ['Price per kWh (ct)', undefined],
    ['Base price (EUR)', undefined],
  ])
  expect([table?.rows, table?.sample[2], place(table!.evidence)]).toEqual([
    3,
    ['Heat pump', '2026-02-01', '26.10', '7.50'],
    'index.html:9',
  ])
  expect(analysis.requests).toEqual([])
  expect(listOpen(analysis)).toEqual([])
})

test('a request with a grid: its values, where they come from, columns, dictionary and pages', () => {
  const analysis = analyze('fetch-grid')
  const [dictionary, request] = analysis.requests
  expect(dictionary).toMatchObject({ url: 'data/orgs.json', purpose: 'dictionary' })
  expect(request).toMatchObject({
    api: 'fetch',
    method: 'POST',
    url: '/sales/api/monthly/list',
    body: 'json',
    rows_path: 'data.records',
    total_path: 'data.total',
    evidence: { file: 'js/sales.js', line: 27 },
  })
  expect(request?.parameters.map(({ name, role, source, evidence }) => [name, role, source, evidence.line])).toEqual([
    ['orgNo', 'value', { kind: 'control', control: 'orgSelect' }, 21],
    ['statMonth', 'value', { kind: 'control', control: 'statMonth' }, 22],
    ['dataType', 'value', { kind: 'constant', value: '01' }, 23],
    ['pageNo', 'page', { kind: 'constant', value: '1', type: 'number' }, 24],
    ['pageSize', 'page_size', { kind: 'constant', value: '20', type: 'number' }, 25],
    ['Content-Type', 'value', { kind: 'constant', value: 'application/json' }, 29],
    ['Authorization', 'value', { kind: 'page_state', store: 'local_storage', key: 'token' }, 29],
  ])
  expect(analysis.tables[0]?.columns.map(({ key, label, evidence }) => [key, label, evidence.line])).toEqual([
    ['orgName', '供电单位', 9],
    ['userCount', '户数', 10],
    ['saleKwh', '售电量(kWh)', 11],
    ['amount', '电费(元)', 12],
  ])
  expect(analysis.controls.map(({ key, kind }) => [key, kind])).toEqual([
    ['orgSelect', 'select'],
    ['statMonth', 'month'],
  ])
  expect(analysis.dictionaries).toMatchObject([{ name: 'orgs', control: 'orgSelect', entries: { length: 3 } }])
  expect(places(analysis.dictionaries)).toEqual([['data/orgs.json:1', 'js/sales.js:15']])
  expect(analysis.modes.map(({ value }) => value)).toEqual(['request', 'paged', 'export'])
  expect(analysis.exports.map(({ kind, target, evidence }) => [kind, target, place(evidence)])).toEqual([
    ['navigation', '/sales/api/monthly/export', 'js/sales.js:39'],
    ['button', '导出', 'index.html:16'],
  ])
  expect(listOpen(analysis)).toEqual([
    ['dependency_missing', 'index.html:18'],
    ['session_state', 'js/sales.js:29'],
  ])
})

test('a frame with an export: the request of the frame, a value in its path, fields from the row template', () => {
  const analysis = analyze('iframe-export')
  expect(analysis.frame).toMatchObject({ file: 'outages.html', selector: '[id="report"]' })
  expect(analysis.requests).toMatchObject([
    {
      api: 'xhr',
      url: '/outages/api/{district}/list',
      rows_path: 'rows',
      parameters: [
        { name: 'district', in: 'path', source: { kind: 'control', control: 'district' } },
        { name: 'day', in: 'query', source: { kind: 'control', control: 'day' } },
      ],
      evidence: { file: 'js/outages.js', line: 5 },
    },
  ])
  expect(analysis.tables[0]?.columns.map(({ key, label }) => [key, label])).toEqual([
    ['feeder', 'Feeder'],
    ['start', 'Start'],
    ['minutes', 'Minutes'],
  ])
  expect(analysis.modes.map(({ value }) => value)).toEqual(['request', 'iframe', 'export'])
  expect(analysis.exports.map(({ kind, evidence }) => [kind, place(evidence)])).toEqual([
    ['navigation', 'js/outages.js:20'],
    ['button', 'outages.html:19'],
  ])
  expect(listOpen(analysis)).toEqual([])
})

test('broken files are uncertainties with their places, and nothing of them is guessed', () => {
  const analysis = analyze('broken')
  expect(listOpen(analysis)).toEqual([
    ['page_invalid', 'index.html:8'],
    ['frame_missing', 'index.html:11'],
    ['dependency_missing', 'index.html:14'],
    ['data_invalid', 'stores.json:3'],
    ['script_invalid', 'js/broken.js:3'],
    ['url_not_constant', 'js/stock.js:2'],
    ['target_url_unknown'],
    ['rows_path_unknown', 'js/stock.js:5'],
    ['columns_unknown', 'index.html:7'],
    ['value_source_unknown', 'js/stock.js:5'],
    ['value_depends_on_clock', 'js/stock.js:5'],
  ])
  expect(analysis.target_urls).toEqual([])
  expect(analysis.requests.map(({ url, rows_path }) => [url, rows_path])).toEqual([['/stock/today', undefined]])
})

test.each([
  ["$.get('/a/list', { unit: $('#unit').val() }, (answer) => answer.rows.forEach(show))", 'GET', 'unit', 'rows'],
  [
    "$.ajax({ url: '/a/list', type: 'post', data: { unit: $('#unit').val() }, success: function (d) { d.list.map(show) } })",
    'POST',
    'unit',
    'list',
  ],
  [
    "axios.get('/a/list', { params: { unit: unit.value } }).then(({ data }) => data.items.forEach(show)); const unit = document.getElementById('unit')",
    'GET',
    'unit',
    'items',
  ],
  [
    "const http = axios.create({ baseURL: '/a' }); async function f() { const r = await http.post('/list', { unit: document.querySelector('#unit').value }); for (const x of r.data.rows) show(x) }",
    'POST',
    'unit',
    'rows',
  ],
  [
    "const p = new URLSearchParams({ unit: form.elements.unit.value }); fetch('/a/list?' + p).then((r) => r.json()).then((rows) => rows.map(show))",
    'GET',
    undefined,
    '',
  ],
  [
    "fetch('/a/list?' + new URLSearchParams({ unit: form.elements.unit.value })).then((r) => r.json()).then((d) => draw(d.rows)); function draw(rows) { rows.map(show) }",
    'GET',
    'unit',
    'rows',
  ],
  [
    "fetch(`/a/list?unit=${encodeURIComponent(document.getElementById('unit').value)}`).then((r) => r.json()).then((d) => d.data.rows.map(show))",
    'GET',
    'unit',
    'data.rows',
  ],
])('a request is read: %s', (script, method, parameter, rows) => {
  const [request] = analyzeScript(script).requests
  expect([request?.method, request?.url, request?.rows_path]).toEqual([method, '/a/list', rows])
  const values = request?.parameters.map(({ name, source }) => [name, source]) ?? []
  expect(values).toEqual(parameter === undefined ? [] : [[parameter, { kind: 'control', control: 'unit' }]])
})

test('a value that is assigned twice, or changed before it is sent, is not followed', () => {
  const twice = analyzeScript("let kind = 'a'; if (x) kind = 'b'; fetch('/list?kind=' + kind)")
  expect(twice.requests[0]?.parameters[0]?.source).toEqual({ kind: 'unknown', text: 'kind' })
  const changed = analyzeScript("fetch('/list?month=' + document.getElementById('m').value.replace('-', ''))")
  expect(changed.requests[0]?.parameters[0]?.source.kind).toBe('unknown')
  expect(changed.uncertainties.map(({ code }) => code)).toContain('value_source_unknown')
})

test('requests in comments and texts are none', () => {
  const analysis = analyzeScript(
    '// fetch(\'/a\')\nconst text = "fetch(\'/b\')"\nconst html = `<a href="/c">${text}</a>`',
  )
  expect(analysis.requests).toEqual([])
})

test('deep nesting, large files and many files are bounded', () => {
  const deepPage = `<title>T</title>${'<div>'.repeat(10_000)}`
  expect(analyzeScript('', deepPage).titles.map(({ value }) => value)).toEqual(['T'])
  const deepScript = '['.repeat(50_000)
  expect(analyzeScript(deepScript).uncertainties.map(({ code }) => code)).toContain('script_not_read')
  const nested = analyzeScript(`x = ${'(\n'.repeat(20_000)}1${')'.repeat(20_000)}`)
  expect(nested.uncertainties.map(({ code }) => code)).toContain('script_invalid')
  const large = analyzeScenario([
    { path: 'index.html', bytes: SCENARIO_LIMITS.file_bytes + 1, text: '<title>T</title>' },
  ])
  expect(large.uncertainties.map(({ code }) => code)).toEqual(expect.arrayContaining(['limit_reached', 'page_missing']))
  const entries = Array.from({ length: SCENARIO_LIMITS.entries }, (_, at) => ({ name: `unit ${at}`, code: `${at}` }))
  const text = JSON.stringify(entries)
  const dictionaries = [1, 2, 3, 4, 5].map((at) => ({ path: `d${at}.json`, bytes: text.length, text }))
  const bounded = analyzeScenario([{ path: 'index.html', bytes: 20, text: '<title>T</title>' }, ...dictionaries])
  expect(bounded.dictionaries.map(({ name }) => name)).toEqual(['d1', 'd2'])
  expect(bounded.uncertainties.map(({ code, evidence: [at] }) => [code, at?.file])).toContainEqual([
    'limit_reached',
    'd3.json',
  ])
  const many = Array.from({ length: SCENARIO_LIMITS.files + 1 }, (_, at) => ({ path: `f${at}.txt`, bytes: 1 }))
  expect(analyzeScenario(many).uncertainties.map(({ code }) => code)).toContain('limit_reached')
})
