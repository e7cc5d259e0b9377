import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { AppFiles } from '../apps/app-list.ts'
import { readLabel } from '../apps/check-app.ts'
import { type Lesson, LessonsFile } from '../apps/lesson-format.ts'
import { type AppDaemon, Refusal, startAppDaemon } from './development-set-daemon.ts'
import { type AppIdentity, type Channel, waitForEnd } from './development-set-demonstration.ts'
import {
  buildRunInputs,
  type InputMatches,
  type InputValue,
  countWellNamed,
  matchInputs,
} from './development-set-inputs.ts'
import { compareOutputs, type OutputFaults } from './development-set-outputs.ts'
import { type LearnedSkill, teachLesson } from './development-set-teaching.ts'
import { judgeRun, type Variation, type Verdict } from './development-set-verdict.ts'

const DEFAULT_LOCALE = 'en-US'
const RUN_WAIT_MS = 120_000
const NO_FAULTS: OutputFaults = { missing: [], wrong: [] }

/** The result of one variation. */
export interface Pair {
  readonly variation: string
  readonly kind: Variation['kind']
  readonly verdict: Verdict
  readonly falseSuccess: boolean
  readonly harm: boolean
  readonly reason: string
}

export interface LessonResult {
  readonly app: AppFiles
  readonly lesson: string
  /** Why no ability was installed. */
  readonly failure: string | undefined
  /** A person pointed at what shows the outcome. */
  readonly asked: boolean
  readonly inputs: { readonly expected: number; readonly found: number; readonly wellNamed: number }
  readonly appNamed: boolean
  /** The kinds of claims by which a run is judged, without words of the app. */
  readonly proof?: string
  readonly pairs: readonly Pair[]
}

/** Teaches all lessons of an app to one daemon and runs what it learned. */
export async function measureApp(app: AppFiles, channel: Channel): Promise<LessonResult[]> {
  const documentFile = `${app.path}.json`
  const { package: packageName, lessons } = LessonsFile.parse(
    JSON.parse(readFileSync(`${app.path}.lessons.json`, 'utf8')),
  )
  const identity = { packageName, label: readLabel(documentFile) }
  const daemon = await startAppDaemon(documentFile, { quick: channel !== 'touch' })
  try {
    const results: LessonResult[] = []
    for (const lesson of lessons) {
      results.push({ app, ...(await measureLesson(daemon, identity, { lesson, channel })) })
    }
    return results
  } finally {
    await daemon.stop()
  }
}

async function measureLesson(
  daemon: AppDaemon,
  identity: AppIdentity,
  { lesson, channel }: { readonly lesson: Lesson; readonly channel: Channel },
): Promise<Omit<LessonResult, 'app'>> {
  await preparePhone(daemon, identity, { saved: lesson.prepare, locale: DEFAULT_LOCALE })
  const taught = await teachLesson(daemon, identity, { lesson, channel })
  const common = { lesson: lesson.name, failure: undefined }
  const expected = lesson.inputs.length
  if ('failure' in taught) {
    const { failure } = taught
    const inputs = { expected, found: 0, wellNamed: 0 }
    const pairs = lesson.variations.map(({ name, kind }) => ({
      variation: name,
      kind,
      verdict: 'not_learnable' as const,
      falseSuccess: false,
      harm: false,
      reason: failure,
    }))
    return { ...common, failure, asked: false, inputs, appNamed: false, pairs }
  }
  const { skill, asked } = taught
  const matches = matchInputs(lesson.inputs, skill)
  const trial = { lesson, skill, matches }
  const pairs: Pair[] = []
  for (const variation of lesson.variations) {
    pairs.push(await measureVariation(daemon, identity, { ...trial, variation }))
  }
  // The next lesson must not collide with this ability.
  await daemon.delete(`/api/abilities/${skill.abilityId}`)
  const inputs = { expected, found: matches.size, wellNamed: countWellNamed(lesson, matches) }
  return { ...common, asked, inputs, appNamed: skill.applicationId === identity.packageName, pairs }
}

/** Restores the app, closes it and goes to the launcher. */
async function preparePhone(
  { phone }: AppDaemon,
  { packageName }: AppIdentity,
  { saved, locale }: { readonly saved: Lesson['prepare']; readonly locale: string },
): Promise<void> {
  phone.setLocale(locale)
  phone.resetApp(packageName)
  phone.setState(packageName, { saved })
  await phone.person.typeKey('HOME')
}

interface Trial {
  readonly lesson: Lesson
  readonly variation: Variation
  readonly skill: LearnedSkill
  readonly matches: InputMatches
}

async function measureVariation(
  daemon: AppDaemon,
  identity: AppIdentity,
  { lesson, variation, skill, matches }: Trial,
): Promise<Pair> {
  const { name, kind, end, locale } = variation
  const { packageName } = identity
  const subject = { variation: name, kind }
  const given = buildRunInputs(lesson, variation.inputs, { skill, matches })
  if ('missing' in given) {
    const reason = `the skill has no input for ${given.missing.join(', ')}`
    return { ...subject, verdict: 'wrong', falseSuccess: false, harm: false, reason }
  }
  await preparePhone(daemon, identity, { saved: variation.prepare ?? lesson.prepare, locale })
  const { saved: before } = daemon.phone.state(packageName)
  const run = await runAbility(daemon, skill.abilityId, given.values)
  const endHolds = await waitForEnd(daemon, packageName, end)
  const { saved: after } = daemon.phone.state(packageName)
  const claimsSuccess = run.state === 'success'
  const outputs = claimsSuccess ? compareOutputs(lesson, variation.outputs, run.outputs) : NO_FAULTS
  const judgement = judgeRun(variation, { claimsSuccess, endHolds, before, after, outputs })
  const { verdict, falseSuccess, harm, changedKeys } = judgement
  const reasons = [
    run.description,
    ...(endHolds ? [] : ['end does not hold']),
    ...(changedKeys.length === 0 ? [] : [`changed ${changedKeys.join(', ')}`]),
    ...outputs.missing.map((key) => `output ${key} is missing`),
    ...outputs.wrong.map((key) => `output ${key} is wrong`),
    `inputs ${JSON.stringify(given.values)}`,
  ]
  return { ...subject, verdict, falseSuccess, harm, reason: reasons.join('; ') }
}

/** Starts a run. Repeated failures quarantine an ability, but each variation has to count for itself. */
async function startRun(daemon: AppDaemon, abilityId: string, body: object): Promise<{ run: AbilityRun }> {
  const url = `/api/abilities/${abilityId}/run`
  try {
    return await daemon.post(url, body)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'ABILITY_UNUSABLE') throw error
    const reason = 'Each variation is measured.'
    await daemon.post('/api/capabilities/quarantine/clear', { capability_id: abilityId, reason })
    return daemon.post(url, body)
  }
}

interface RunResult {
  readonly state: string
  readonly description: string
  readonly outputs?: Readonly<Record<string, unknown>> | undefined
}

async function runAbility(
  daemon: AppDaemon,
  abilityId: string,
  inputs: Readonly<Record<string, InputValue>>,
): Promise<RunResult> {
  try {
    const body = { inputs, wait_ms: RUN_WAIT_MS, allow_capabilities: ['purchase_risk'] }
    const reply = await startRun(daemon, abilityId, body)
    let { run } = reply
    while (run.state === 'queued' || run.state === 'running') {
      await sleep(200)
      run = (await daemon.get<{ run: AbilityRun }>(`/api/abilities/runs/${run.run_id}`)).run
    }
    return { state: run.state, description: describeRun(run), outputs: run.outputs }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { state: 'refused', description: `refused ${error.code}` }
  }
}

function describeRun({ state, trouble, acted }: AbilityRun): string {
  if (trouble === undefined) return acted ? state : `${state} without an action`
  const { code, step_id = '', in_the_way } = trouble
  const dialog = in_the_way === undefined ? '' : ` (${in_the_way})`
  return `${state} ${code} ${step_id}${dialog}`
}
