import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const source = readFileSync(new URL('collect_lineloss.js', import.meta.url), 'utf8')
const { collect, findPageProblem, readAnswer, toDataPath, toNumber } = new Function(
  `${source}\nreturn { collect, findPageProblem, readAnswer, toDataPath, toNumber }`,
)()

const readStandIn = (path) =>
  JSON.parse(readFileSync(new URL(`../stand-in/gsllys/tqLinelossStatis/${path}.json`, import.meta.url), 'utf8'))

test('the entry script defines collect', () => assert.equal(typeof collect, 'function'))

test('a month and a week have paths of their own', () => {
  const month = { mode: 'month', start: '2026-03-01', end: '2026-03-31', label: '2026年3月' }
  assert.equal(toDataPath({ org_code: '62401', period: month }), '/gsllys/tqLinelossStatis/month/62401/2026-03')
  const week = { mode: 'week', start: '2026-03-16', end: '2026-03-22', label: '2026年第12周' }
  assert.equal(toDataPath({ org_code: '62401', period: week }), '/gsllys/tqLinelossStatis/week/62401/2026-03-16')
})

test('another page or title is named', () => {
  assert.equal(findPageProblem('/gsllys/tqLinelossStatis/tqQualifyRateMonitor', '台区线损合格率监测'), undefined)
  assert.match(findPageProblem('/gsllys/login', '登录'), /\/gsllys\/login/)
  assert.match(findPageProblem('/gsllys/tqLinelossStatis/tqQualifyRateMonitor', '登录'), /“登录”/)
})

test('a complete answer is ok, with totals', () => {
  const { status, rows, totals, warnings } = readAnswer(readStandIn('month/62401/2026-03'))
  assert.deepEqual([status, rows.length, warnings], ['ok', 12, []])
  assert.equal(rows[0].tg_name, '城关一号台区')
  const supply = rows.reduce((sum, row) => sum + row.supply_kwh, 0)
  assert.ok(Math.abs(totals.supply_kwh - supply) < 0.01)
})

test('missing rows and values are partial, and values that are missing are not counted', () => {
  const { status, rows, totals, warnings } = readAnswer(readStandIn('month/62403/2026-03'))
  assert.equal(status, 'partial')
  assert.equal(warnings.length, 2)
  assert.equal(rows.filter((row) => row.sale_kwh === null).length, 1)
  const complete = rows.filter((row) => row.sale_kwh !== null)
  assert.ok(Math.abs(totals.sale_kwh - complete.reduce((sum, row) => sum + row.sale_kwh, 0)) < 0.01)
})

test('no rows, a login and an error have states of their own', () => {
  assert.equal(readAnswer(readStandIn('month/62404/2026-03')).status, 'empty')
  assert.equal(readAnswer({ code: 401, message: '未登录' }).status, 'blocked')
  assert.deepEqual(readAnswer(readStandIn('month/62409/2026-03')), {
    status: 'error',
    warnings: ['接口返回错误:统计任务未完成'],
  })
})

test('numbers are read from text, and a dash is none', () => {
  assert.deepEqual(['1,234.5', '3.2%', 7, '-', '', null].map(toNumber), [1234.5, 3.2, 7, null, null, null])
})
