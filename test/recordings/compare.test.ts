import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompareOutcome, CompareReport } from '@apprentice/contracts/devices/compare.ts'
import { RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import { Failure } from '../../src/failure/failure.ts'
import { type Comparison, compareWithRecording } from '../../src/knowledge/recordings/compare.ts'
import { readRealExport } from '../devices/recording/recordings.ts'
import { startDaemon } from '../kit/daemon.ts'

const discharge = JSON.parse(readRealExport('discharge-limit')) as RecordingExport
const power = JSON.parse(readRealExport('climate-power')) as RecordingExport

const PATH = ['app_opened', 'discharge_to_row_focused', 'target_text_entered', 'save_completed'] as const

interface RunOptions {
  readonly ids?: readonly string[]
  readonly failing?: string
  readonly status?: string
  readonly verification?: string | null
  readonly runtimeState?: string
  readonly agent?: boolean
}

/** A stored run with its skill result. */
function createResult({ ids = PATH, failing, verification = 'verified', ...run }: RunOptions = {}): object {
  const checkpoint = (id: string) => ({ id, status: id === failing ? 'failed' : 'ok' })
  return {
    runId: 'r-1',
    skillResult: {
      contractVersion: '1.0.0',
      skillId: 'com.solaxcloud.starter.set-discharge',
      status: run.status ?? 'success',
      checkpoints: [...ids, 'terminal_state_verified'].map(checkpoint),
      ...(verification !== null && { terminalVerification: { status: verification } }),
      ...(run.runtimeState !== undefined && { diagnostics: { runtimeState: run.runtimeState } }),
      source: run.agent === true ? { kind: 'agent', agentCli: 'codex' } : { kind: 'script' },
    },
  }
}

const compare = (comparison: Partial<Comparison>): CompareReport =>
  compareWithRecording({
    baseline: discharge,
    result: createResult(),
    mode: 'auto',
    normalization: 'auto',
    minimum_coverage: 2,
    ...comparison,
  })

test('the real recording has four checkpoints at the expected events', () => {
  const { baseline, normalizationStrategy } = compare({})
  expect(baseline.appPackage).toBe('com.solaxcloud.starter')
  expect(baseline.checkpoints.map(({ id, sourceEventSeq }) => [id, sourceEventSeq])).toEqual([
    ['app_opened', 0],
    ['discharge_to_row_focused', 14],
    ['target_text_entered', 20],
    ['save_completed', 23],
  ])
  expect(normalizationStrategy).toBe('solax_heuristic')
})

const OTHER_PATH = ['app_opened', 'device_discharging_card_opened', ...PATH.slice(2)]
const UNRELATED_PATH = ['menu_opened', 'row_found']

const CASES: [CompareOutcome, boolean, RunOptions, Partial<Comparison>][] = [
  ['literal_match', true, {}, {}],
  ['baseline_drift', false, { ids: OTHER_PATH }, {}],
  ['semantic_match', true, { agent: true }, {}],
  ['outcome_matches_path_differs', true, { agent: true, ids: OTHER_PATH }, {}],
  ['baseline_uncovered', false, { agent: true, ids: UNRELATED_PATH }, {}],
  ['baseline_weakly_covered', false, { agent: true, ids: ['app_opened', ...UNRELATED_PATH] }, {}],
  ['verification_failed', false, { verification: 'failed' }, {}],
  ['baseline_drift', false, { verification: 'failed', ids: OTHER_PATH }, {}],
  ['verification_indeterminate', false, { verification: 'not_run' }, {}],
  ['verification_indeterminate', false, { verification: null, status: 'indeterminate' }, {}],
  ['baseline_drift', false, { verification: null, ids: OTHER_PATH }, {}],
  ['upstream_failure', false, { status: 'failed', failing: 'target_text_entered' }, {}],
  ['runtime_poisoned', false, { status: 'failed', runtimeState: 'poisoned' }, {}],
  ['runtime_unavailable', false, { status: 'failed', runtimeState: 'unavailable' }, {}],
  ['literal_match', true, { runtimeState: 'poisoned' }, {}],
  ['literal_match', true, { agent: true }, { mode: 'literal' }],
  ['outcome_matches_path_differs', true, { ids: OTHER_PATH }, { mode: 'semantic' }],
  ['normalization_insufficient', false, {}, { baseline: { ...discharge, events: [] } }],
  ['normalization_insufficient', false, {}, { baseline: power, normalization: 'solax_heuristic' }],
]

test.each(CASES)('%s (ok: %s) for %o', (outcome, ok, run, more) => {
  expect(compare({ result: createResult(run), ...more })).toMatchObject({ outcome, ok })
})

test('the cases cover all outcomes', () => {
  expect(new Set(CASES.map(([outcome]) => outcome))).toEqual(new Set(CompareOutcome.options))
})

test('the first divergence is reported, with placeholders for missing checkpoints', () => {
  expect(compare({ result: createResult({ ids: OTHER_PATH }) }).firstDivergence).toEqual({
    index: 1,
    baselineCheckpoint: 'discharge_to_row_focused',
    actualCheckpoint: 'device_discharging_card_opened',
    baselineStatus: 'ok',
    actualStatus: 'ok',
    baselineSummary: expect.stringMatching(/^click:com\.solaxcloud\.starter:.*discharge/),
  })
  const failing = { status: 'failed', failing: 'target_text_entered' }
  expect(compare({ result: createResult(failing) }).firstDivergence).toMatchObject({
    index: 2,
    actualCheckpoint: 'target_text_entered',
    actualStatus: 'failed',
  })
  const short = PATH.slice(0, 2)
  expect(compare({ result: createResult({ ids: short }) }).firstDivergence).toMatchObject({
    index: 2,
    actualCheckpoint: 'missing_expected_checkpoint',
    actualStatus: null,
  })
  expect(compare({ result: createResult({ ids: short, status: 'failed' }) }).firstDivergence).toMatchObject({
    actualCheckpoint: 'failed_before_expected_checkpoint',
  })
  expect(compare({ result: createResult({ ids: [...PATH, 'more'] }) }).firstDivergence).toMatchObject({
    index: 4,
    baselineCheckpoint: 'unexpected_extra_checkpoint',
    actualCheckpoint: 'more',
  })
  expect(compare({})).not.toHaveProperty('firstDivergence')
})

test('the alignment follows the longest common subsequence', () => {
  const ids = ['app_opened', 'extra', 'target_text_entered', 'save_completed']
  expect(compare({ result: createResult({ ids }) }).alignment).toEqual([
    { baselineCheckpoint: 'app_opened', actualCheckpoint: 'app_opened' },
    { baselineCheckpoint: 'discharge_to_row_focused', actualCheckpoint: null },
    { baselineCheckpoint: null, actualCheckpoint: 'extra' },
    { baselineCheckpoint: 'target_text_entered', actualCheckpoint: 'target_text_entered' },
    { baselineCheckpoint: 'save_completed', actualCheckpoint: 'save_completed' },
  ])
})

test('a recording of any app has a structural baseline', () => {
  const report = compare({
    baseline: power,
    result: createResult({ ids: ['app_opened'], agent: true }),
  })
  expect(report.normalizationStrategy).toBe('structural')
  expect(report.baseline.checkpointIds[0]).toBe('app_opened')
  expect(report.baseline.checkpointIds.length).toBeGreaterThan(2)
  const same = createResult({ ids: report.baseline.checkpointIds })
  expect(compare({ baseline: power, result: same }).outcome).toBe('literal_match')
})

test('a reported checkpoint matches by the words of the clicked element', () => {
  const click = (seq: number, text: string) => ({
    seq,
    ts: seq,
    deltaMsSincePrevious: null,
    type: 'click' as const,
    packageName: 'com.shop',
    resourceId: null,
    text,
    contentDesc: null,
    bounds: { left: 0, top: 0, right: 1, bottom: 1 },
    snapshot: { present: false, xml: null },
  })
  const baseline = { ...power, events: [click(1, 'Add to basket (3)'), click(2, 'Pay')] }
  const reported = createResult({ ids: ['add_item_to_basket', 'pay_pressed'] })
  const report = compare({ baseline, result: reported })
  expect(report).toMatchObject({ outcome: 'literal_match', pathMatches: true })
  const nameless = { ...power, events: [click(1, '123'), click(2, '45')] }
  expect(compare({ baseline: nameless }).outcome).toBe('normalization_insufficient')
})

test('a compare map defines the checkpoints of any app', () => {
  const map = {
    checkpoints: [
      {
        checkpointId: 'opened',
        match: { eventType: 'window_change' as const, pick: 'first' as const },
      },
      {
        checkpointId: 'gone',
        match: { eventType: 'click' as const, text: 'no such thing', pick: 'last' as const },
      },
    ],
  }
  expect(compare({ baseline: power, map }).outcome).toBe('normalization_insufficient')
  const result = createResult({ ids: ['opened'] })
  const enough = compare({ baseline: power, map: { ...map, required: 1 }, result })
  expect(enough).toMatchObject({ outcome: 'literal_match', normalizationStrategy: 'compare_map' })
})

test('a recording with UI trees gives the same report as without', () => {
  const xml = '<hierarchy><node text="Discharge Save Confirm" /></hierarchy>'
  const events = discharge.events.map((event) => ({ ...event, snapshot: { present: true, xml } }))
  const withTrees = { ...discharge, snapshotMode: 'include', events }
  expect(compare({ baseline: withTrees })).toEqual(compare({}))
})

test.each<[string, Partial<Comparison>, string]>([
  ['a bare result', { result: (createResult() as { skillResult: object }).skillResult }, 'result.skillResult'],
  ['no result', { result: { skillResult: null } }, 'result.skillResult'],
  ['a result without source', { result: withoutSource() }, 'result.skillResult.source'],
  ['another contract', { result: withVersion('2.0.0') }, 'result.skillResult.contractVersion'],
  ['no export', { baseline: { exportVersion: 2 } }, 'baseline.exportVersion'],
  ['nothing', { baseline: null }, 'baseline'],
])('%s is refused with its path', (_what, comparison, place) => {
  try {
    compare(comparison)
    expect.fail('the comparison did not fail')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error.code).toBe('RECORDING_COMPARE_FAILED')
    expect(error.message).toContain(place)
  }
})

function withoutSource(): object {
  const { skillResult } = createResult() as { skillResult: { source?: unknown } }
  delete skillResult.source
  return { skillResult }
}

function withVersion(contractVersion: string): object {
  const { skillResult } = createResult() as { skillResult: object }
  return { skillResult: { ...skillResult, contractVersion } }
}

test('every result has a valid report, and it is ok only for a verified run', () => {
  const ids = fc.array(fc.constantFrom(...PATH, 'other', 'more'), { maxLength: 8 })
  const verification = fc.constantFrom('verified', 'failed', 'not_run', null)
  const status = fc.constantFrom('success', 'failed', 'indeterminate')
  fc.assert(
    fc.property(ids, verification, status, fc.boolean(), (given, verified, state, agent) => {
      const report = compare({
        result: createResult({ ids: given, verification: verified, status: state, agent }),
      })
      expect(CompareReport.parse(report)).toEqual(report)
      if (report.ok) expect([verified, state]).not.toContain('failed')
      if (report.ok) expect(verified).toBe('verified')
      expect(report.pathMatches).toBe(given.join() === PATH.join())
      const aligned = report.alignment.flatMap(({ actualCheckpoint }) => actualCheckpoint ?? [])
      expect(aligned).toEqual(given)
    }),
  )
})

test('the compare route returns the report and stores nothing', async () => {
  const daemon = await startDaemon()
  const before = daemon.events().length
  const reply = await daemon.post('/api/recordings/compare', {
    baseline: discharge,
    result: createResult(),
  })
  expect([reply.statusCode, reply.json()]).toMatchObject([200, { outcome: 'literal_match', ok: true }])
  const bad = await daemon.post('/api/recordings/compare', {
    baseline: discharge,
    result: createResult(),
    mode: 'exact',
  })
  expect(bad.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'mode' } },
  })
  expect(daemon.events()).toHaveLength(before)
})
