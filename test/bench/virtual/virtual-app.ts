import { readFileSync } from 'node:fs'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { Failure } from '../../../src/failure/failure.ts'
import { interpretTraces } from '../../../src/knowledge/interpret/draft/interpret.ts'
import { proposeElements } from '../../../src/knowledge/interpret/prove/pointed-elements.ts'
import type { ElementRef } from '../../../src/knowledge/interpret/read/element-ref.ts'
import type { ObservedTrace } from '../../../src/knowledge/steps/observed-step.ts'
import type { LearnedWorkflow } from '../../../src/knowledge/interpret/draft/workflow.ts'
import { type CompiledPart, RunCompiler } from '../../../src/knowledge/recipes/compile/compile-run.ts'
import { isAlreadyDone } from '../../../src/knowledge/recipes/parts/lower-parts.ts'
import {
  decideRunState,
  describeFailure,
  hasActed,
  type SettledExecution,
} from '../../../src/knowledge/verification/run-outcome.ts'
import type { AppFiles } from '../../apps/app-list.ts'
import { readLabel } from '../../apps/check-app.ts'
import { type Lesson, LessonsFile } from '../../apps/lesson-format.ts'
import type { LessonResult, Pair } from '../development-set-app.ts'
import type { AppIdentity } from '../development-set-demonstration.ts'
import { choosePointed, locateProof } from '../development-set-pointing.ts'
import { buildRunInputs, type InputMatches, countWellNamed, matchInputs } from '../development-set-inputs.ts'
import { judgeRun, type Variation } from '../development-set-verdict.ts'
import { demonstrate, waitForEnd } from './virtual-demonstration.ts'
import { openVirtualPhone, type VirtualPhone } from './virtual-phone.ts'

const DEFAULT_LOCALE = 'en-US'

/** What the measurement of a lesson shows while it runs. */
export interface LessonObserver {
  onLearned?(lesson: Lesson, workflow: LearnedWorkflow): void
  onRun?(lesson: Lesson, variation: Variation, run: RunReport): void
}

export interface RunReport {
  readonly state: string
  readonly description: string
  readonly settled?: SettledExecution
  readonly parts?: readonly CompiledPart[]
}

export interface MeasureOptions {
  /** A part of the name of the lessons to measure. */
  readonly lesson?: string
  /** A part of the name of the variations to run. */
  readonly variation?: string
  /** The kinds of variations to run. Lessons without them are not taught. */
  readonly kinds?: readonly string[] | undefined
  readonly observer?: LessonObserver
}

/** Teaches the lessons of an app to the interpreter and runs what it learned, without a daemon and without real time. */
export async function measureVirtualApp(app: AppFiles, options: MeasureOptions = {}): Promise<LessonResult[]> {
  const documentFile = `${app.path}.json`
  const { package: packageName, lessons } = LessonsFile.parse(
    JSON.parse(readFileSync(`${app.path}.lessons.json`, 'utf8')),
  )
  const identity = { packageName, label: readLabel(documentFile) }
  const results: LessonResult[] = []
  for (const lesson of lessons.filter(({ name }) => name.includes(options.lesson ?? ''))) {
    if (!lesson.variations.some((variation) => isWanted(variation, options))) continue
    results.push({ app, ...(await measureLesson(documentFile, identity, lesson, options)) })
  }
  return results
}

const isWanted = ({ name, kind }: Variation, { variation = '', kinds }: MeasureOptions): boolean =>
  name.includes(variation) && (kinds?.includes(kind) ?? true)

async function measureLesson(
  documentFile: string,
  identity: AppIdentity,
  lesson: Lesson,
  options: MeasureOptions,
): Promise<Omit<LessonResult, 'app'>> {
  const { observer } = options
  const expected = lesson.inputs.length
  const common = { lesson: lesson.name, failure: undefined }
  const variations = lesson.variations.filter((variation) => isWanted(variation, options))
  const learned = await learn(documentFile, identity, lesson)
  if (learned.workflow !== undefined) observer?.onLearned?.(lesson, learned.workflow)
  if ('failure' in learned) {
    const { failure } = learned
    const pairs = variations.map(({ name, kind }) => ({
      variation: name,
      kind,
      verdict: 'not_learnable' as const,
      falseSuccess: false,
      harm: false,
      reason: failure,
    }))
    const inputs = { expected, found: 0, wellNamed: 0 }
    return { ...common, failure, asked: false, inputs, appNamed: false, pairs }
  }
  const { workflow, recipe, asked } = learned
  const examples = Object.fromEntries(workflow.inputs.map(({ name, example = '' }) => [name, example]))
  const skill = { inputs: recipe.inputs, examples }
  const matches = matchInputs(lesson.inputs, skill)
  const pairs: Pair[] = []
  for (const variation of variations) {
    pairs.push(await measureVariation({ documentFile, identity, lesson, variation, recipe, skill, matches, observer }))
  }
  const inputs = { expected, found: matches.size, wellNamed: countWellNamed(lesson, matches) }
  const appNamed = recipe.application_id === identity.packageName
  return { ...common, asked, inputs, appNamed, proof: describeProof(recipe), pairs }
}

/** The kinds of the claims of a recipe: which conditions they use, not their values. */
function describeProof({ verification = [] }: Recipe): string {
  const claims = verification.map(({ id: _id, selector, annotation: _annotation, ...checks }) => {
    const { annotation: _selected, ...conditions } = selector
    return `${Object.keys(checks).join('+') || 'present'} {${Object.keys(conditions).join(', ')}}`
  })
  return claims.join('; ')
}

async function preparePhone(
  { phone }: VirtualPhone,
  { packageName }: AppIdentity,
  { saved, locale }: { readonly saved: Lesson['prepare']; readonly locale: string },
): Promise<void> {
  phone.setLocale(locale)
  phone.setState(packageName, { saved })
  await phone.person.typeKey('HOME')
}

type Learned =
  /** `asked`: the person pointed at what shows the outcome. */
  | { readonly workflow: LearnedWorkflow; readonly recipe: Recipe; readonly asked: boolean }
  | { readonly workflow?: LearnedWorkflow; readonly failure: string }

async function learn(documentFile: string, identity: AppIdentity, lesson: Lesson): Promise<Learned> {
  const virtual = openVirtualPhone(documentFile)
  try {
    await preparePhone(virtual, identity, { saved: lesson.prepare, locale: DEFAULT_LOCALE })
    const trace = await demonstrate(virtual, identity, lesson)
    const context = { goal: lesson.goal, title: lesson.goal, marks: [] }
    const drafted = interpretTraces([trace], context)
    const pointed = findOutcomeDoubt(drafted) && pointAtProof(virtual, lesson, { trace, workflow: drafted })
    const workflow = pointed === undefined ? drafted : interpretTraces([trace], { ...context, proofs: [pointed] })
    const doubt = findOutcomeDoubt(workflow)
    if (doubt !== undefined) return { workflow, failure: `asked: ${doubt.reason}` }
    const { recipe } = workflow
    if (recipe === undefined) {
      return { workflow, failure: `no recipe: ${workflow.doubts.map(({ reason }) => reason).join('; ')}` }
    }
    return { workflow, recipe, asked: pointed !== undefined }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  } finally {
    virtual.close()
  }
}

const findOutcomeDoubt = ({ doubts }: LearnedWorkflow) => doubts.find(({ field }) => field === 'success_condition')

/** Answers by the offered element that the lesson names, or points at it on the last screen. */
function pointAtProof(
  { phone }: VirtualPhone,
  lesson: Lesson,
  { trace, workflow }: { readonly trace: ObservedTrace; readonly workflow: LearnedWorkflow },
): ElementRef | undefined {
  const place = locateProof(phone, lesson)
  const last = trace.steps.at(-1)
  const offered = workflow.proof_candidates?.length ? workflow.proof_candidates : proposeElements([trace])
  const choices = offered.map(({ event_id, node_path }) => {
    const step = trace.steps.find((one) => one.event_id === event_id)
    return { event_id, node_path, bounds: step?.after?.nodes.find(({ path }) => path === node_path)?.bounds }
  })
  const nodes = last?.after?.nodes.map(({ path, bounds }) => ({
    event_id: last.event_id,
    node_path: path,
    bounds,
  }))
  return choosePointed([...choices, ...(nodes ?? [])], place)
}

interface Trial {
  readonly documentFile: string
  readonly identity: AppIdentity
  readonly lesson: Lesson
  readonly variation: Variation
  readonly recipe: Recipe
  readonly skill: Parameters<typeof matchInputs>[1]
  readonly matches: InputMatches
  readonly observer: LessonObserver | undefined
}

async function measureVariation(trial: Trial): Promise<Pair> {
  const { documentFile, identity, lesson, variation, recipe, skill, matches, observer } = trial
  const { name, kind, end, locale } = variation
  const { packageName } = identity
  const subject = { variation: name, kind }
  const given = buildRunInputs(lesson, variation.inputs, { skill, matches })
  if ('missing' in given) {
    const reason = `the skill has no input for ${given.missing.join(', ')}`
    return { ...subject, verdict: 'wrong', falseSuccess: false, harm: false, reason }
  }
  const virtual = openVirtualPhone(documentFile)
  try {
    await preparePhone(virtual, identity, { saved: variation.prepare ?? lesson.prepare, locale })
    const { saved: before } = virtual.phone.state(packageName)
    const run = await runRecipe(virtual, recipe, given.values)
    observer?.onRun?.(lesson, variation, run)
    const endHolds = await waitForEnd(virtual, packageName, end)
    const { saved: after } = virtual.phone.state(packageName)
    const claimsSuccess = run.state === 'success'
    const { verdict, falseSuccess, harm, changedKeys } = judgeRun(variation, { claimsSuccess, endHolds, before, after })
    const reasons = [
      run.description,
      ...(endHolds ? [] : ['end does not hold']),
      ...(changedKeys.length === 0 ? [] : [`changed ${changedKeys.join(', ')}`]),
      `inputs ${JSON.stringify(given.values)}`,
    ]
    return { ...subject, verdict, falseSuccess, harm, reason: reasons.join('; ') }
  } finally {
    virtual.close()
  }
}

async function runRecipe(
  virtual: VirtualPhone,
  recipe: Recipe,
  inputs: Readonly<Record<string, unknown>>,
): Promise<RunReport> {
  const compiler = new RunCompiler({
    commandId: 'run',
    decide: () => ({ allowed: true }),
    findCalled: () => {
      throw new Error('A learned recipe calls no other ability.')
    },
  })
  try {
    const parts = compiler.compile({ ability_id: 'ability', version: 1, recipe }, inputs)
    const settled = await executeParts(virtual, parts)
    const plan = parts.flatMap((part) => part.plan)
    const state = decideRunState(plan, settled)
    return { state, description: describeRun(state, parts, settled), settled, parts }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { state: 'refused', description: `refused ${error.code}: ${error.message}` }
  }
}

async function executeParts(virtual: VirtualPhone, parts: readonly CompiledPart[]): Promise<SettledExecution> {
  const step_results: SettledExecution['step_results'][number][] = []
  for (let at = 0; at < parts.length;) {
    const part = parts[at]
    if (part === undefined) break
    const { status, stepResults, error, errorCode } = await virtual.execute(part.execution)
    step_results.push(...stepResults)
    if (status !== 'success') {
      return { state: 'failed', step_results, error: error ?? undefined, error_code: errorCode ?? undefined }
    }
    at = part.done_at !== undefined && stepResults.some(isAlreadyDone) ? part.done_at : at + 1
  }
  return { state: 'succeeded', step_results }
}

function describeRun(state: string, parts: readonly CompiledPart[], settled: SettledExecution): string {
  const trouble = describeFailure(
    parts.flatMap(({ plan }) => plan),
    settled,
  )
  if (trouble === undefined) return settled.step_results.some(hasActed) ? state : `${state} without an action`
  const { code, step_id = '', in_the_way } = trouble
  return `${state} ${code} ${step_id}${in_the_way === undefined ? '' : ` (${in_the_way})`}`
}
