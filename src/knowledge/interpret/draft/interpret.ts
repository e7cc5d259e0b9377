import { type Intent, readIntents } from '../align/intent.ts'
import type { Rulings } from '../read/entry.ts'
import { alignRuns, type Column, entryWordsOf, sampleOf } from '../align/align.ts'
import type { NormalizedRun } from '../read/normalized-run.ts'
import { pruning } from '../read/normalized-run.ts'
import { ScreenIndex } from '../read/screen-index.ts'
import { checkpointsOf } from './checkpoints.ts'
import { holds } from '../prove/claims.ts'
import type { Ending } from '../prove/ending.ts'
import type { EvidencedRun } from '../read/evidence.ts'
import { sentenceWithoutExamples } from '../align/examples.ts'
import { InputList, type LearnedInput } from '../read/inputs.ts'
import type { Move } from '../read/move.ts'
import { normaliseRun } from '../normalize/normalize.ts'
import { type Proof, proveAt } from '../prove/proof.ts'
import { draftRecipe, type RecipeParts } from './recipe-draft.ts'
import { draftSteps } from './recipe-steps.ts'
import { isBar, isSameView, type Screen } from '../read/screen.ts'
import { candidatesFor, type ScreenView } from '../read/selectors.ts'
import { shownInRun } from '../prove/shown-values.ts'
import type { Doubt, InterpretationContext, LearnedWorkflow } from './workflow.ts'

/** From what was seen to what was meant: steps, inputs, proof and a recipe. No chance, no clock. */
export function interpretRuns(
  runs: readonly EvidencedRun[],
  context: InterpretationContext,
): LearnedWorkflow {
  const keep = new Set(context.keep ?? [])
  const accounts = runs.map((run) => normaliseRun(run, keep))
  const { columns, reordered } = alignRuns(accounts.map(({ moves }) => moves))
  const inputs = new InputList(context.input_names)
  const all = readIntents(columns.map(sampleOf), inputs, rulingsOf(columns, context))
  const intents = all.map((intent, at) => withGuard(intent, columns[at]))
  const sight = sightOf(accounts, inputs)
  const ended = chooseEnd(intents, sight, inputs)
  const kept = intents.slice(0, ended.length)
  const proof = ended.proof && provedByAll(ended.proof, { accounts, columns, intents: kept })
  inputs.settle(context.always ?? [])
  const drafted = draftSteps(kept, sight)
  const parts: RecipeParts = {
    intents: kept,
    drafted,
    proof: proof?.proof,
    inputs: inputs.all,
    dismissals: accounts.flatMap(({ dismissals }) => dismissals),
    sight,
  }
  const made = draftRecipe(parts, context)
  const returning = intents.slice(ended.length).map(({ move }) => move)
  return {
    steps: drafted.map(({ step }) => step),
    pruned: [
      ...accounts.flatMap(({ pruned }) => pruned),
      ...(returning.length === 0 ? [] : [pruning(returning, 'detour', WAY_BACK)]),
    ],
    inputs: inputs.all,
    verification: made.verification,
    checkpoints: checkpointsOf(parts, made, context),
    conditions: conditionsOf(context, inputs.all),
    hints: saidPlainly(context.hints ?? [], inputs.all),
    ...(made.recipe !== undefined && { recipe: made.recipe }),
    doubts: [
      ...made.doubts,
      ...(proof?.doubts ?? []),
      ...(reordered ? [OTHER_ORDER] : []),
      ...noProof(proof?.proof, kept),
    ],
    notes: [...made.notes, ...startNotes(accounts)],
  }
}

const WAY_BACK = 'The way back after the work was done'
const OTHER_ORDER: Doubt = {
  field: 'goal_summary',
  reason: 'The runs do the same steps in different orders; the order of the first was taken',
}

function sightOf(accounts: readonly NormalizedRun[], inputs: InputList): ScreenView {
  const atlas = new ScreenIndex(accounts.flatMap(({ moves }) => moves))
  const { shown, variable_words } = inputs
  return { atlas, shown, variable_words, entry_words: atlas.entry_words }
}

/** What two runs did differently is said anew each time. */
function rulingsOf(columns: readonly Column[], context: InterpretationContext): Rulings {
  const differing = (column: Column, valueOf: (move: Move) => unknown): string[] => {
    const done = column.moves.filter((move) => move !== undefined)
    const values = new Set(done.map(valueOf))
    return values.size > 1 ? [...sampleOf(column).event_ids] : []
  }
  const entries = columns.flatMap((column) => differing(column, entryWordsOf))
  const switches = columns.flatMap((column) => differing(column, ({ toggled }) => toggled?.checked))
  return {
    fixed: new Set(context.fixed ?? []),
    varied: new Set([...(context.varied ?? []), ...entries]),
    undecided: new Set(switches),
  }
}

/** A step that some runs did without is done when what it is about is there. */
function withGuard(intent: Intent, column: Column | undefined): Intent {
  const absent = column?.moves.some((move) => move === undefined) ?? false
  const sets = intent.kind === 'toggle' || intent.kind === 'adjust' || intent.kind === 'pick'
  return absent && !sets ? { ...intent, optional: true } : intent
}

interface Ended {
  /** How many of the intents belong to the work. */
  readonly length: number
  readonly proof: Proof | undefined
}

/** The work may have been over before the person went back; the end that proves most counts. */
function chooseEnd(intents: readonly Intent[], sight: ScreenView, inputs: InputList): Ended {
  let best: Ended = { length: intents.length, proof: undefined }
  for (let length = intents.length; length > 0; length -= 1) {
    const proof = proofAfter(intents.slice(0, length), sight, inputs)
    if (proof !== undefined && proof.strength > (best.proof?.strength ?? 0))
      best = { length, proof }
    const last = intents[length - 1]
    if (last === undefined || !goesBack(last)) break
  }
  return best
}

function goesBack({ kind, move }: Intent): boolean {
  if (move.kept === true) return false
  if (kind === 'key') return move.key === 'back'
  const { node } = move
  if (kind !== 'press' || node === undefined || node.parent === null) return false
  return (
    isBar(node.parent) &&
    node.parent.children[0] === node &&
    (node.attributes['class'] ?? '').endsWith('ImageButton')
  )
}

function proofAfter(
  intents: readonly Intent[],
  sight: ScreenView,
  inputs: InputList,
): Proof | undefined {
  const end = intents.at(-1)?.move.after
  if (end === undefined) return undefined
  const earlier = intents.flatMap(({ move }) => (move.before === undefined ? [] : [move.before]))
  const ending: Ending = {
    end,
    start: earlier.find((screen) => isSameView(screen, end)),
    intents,
    inputs: inputs.all,
    locate: (node, screen, entry) => candidatesFor(node, screen, sight, entry)[0],
  }
  return proveAt(ending, sight.shown, earlier)
}

/** A proof counts for all runs, each with its own values. */
function provedByAll(
  proof: Proof,
  work: {
    readonly accounts: readonly NormalizedRun[]
    readonly columns: readonly Column[]
    readonly intents: readonly Intent[]
  },
): { readonly proof: Proof; readonly doubts: readonly Doubt[] } {
  const others = work.accounts.slice(1).flatMap(({ moves }, at) => {
    const end = moves.at(-1)?.after
    return end === undefined ? [] : [{ end, shown: shownInRun(work.intents, work.columns, at + 1) }]
  })
  const claims = proof.reopen === undefined ? proof.claims : []
  const contrary = claims.filter((claim) =>
    others.some(({ end, shown }) => isComparable(end, proof.end) && !holds(claim, end, shown)),
  )
  const sound = proof.claims.filter((claim) => !contrary.includes(claim))
  const doubts = contrary.map(({ words }) => ({
    field: 'success_condition' as const,
    reason: `The runs end differently; not all of them show this: ${words}`,
  }))
  return { proof: { ...proof, claims: sound }, doubts }
}

function isComparable(end: Screen, other: Screen): boolean {
  return end.package === other.package && !end.is_loading
}

function noProof(proof: Proof | undefined, intents: readonly Intent[]): Doubt[] {
  const field = 'success_condition' as const
  if (intents.length === 0)
    return [{ field, reason: 'Nothing was done that a recipe could repeat' }]
  if (proof === undefined || proof.claims.length === 0) {
    return [{ field, reason: 'No screen shows that the work was done' }]
  }
  const last = intents.at(-1)
  if (proof.only_the_form && last?.kind === 'press') {
    return [{ field, reason: 'Only the form that was filled shows the outcome, not what was kept' }]
  }
  return []
}

/** Guards, decisions and constraints, without the values that happened to be shown. */
function conditionsOf(
  { marks, constraints = [] }: InterpretationContext,
  inputs: readonly LearnedInput[],
): string[] {
  const marked = marks
    .filter(({ kind }) => kind === 'guard' || kind === 'decision')
    .map(({ label }) => label)
  return saidPlainly([...marked, ...constraints], inputs)
}

function saidPlainly(said: readonly string[], inputs: readonly LearnedInput[]): string[] {
  // What is always the same is part of what was said, not a value that happened to be shown.
  const shown = inputs.filter((input) => typeof input.default !== 'string')
  const plain = said.map((text) => sentenceWithoutExamples(text, shown).trim())
  return [...new Set(plain.filter((text) => text !== ''))]
}

function startNotes(accounts: readonly NormalizedRun[]): string[] {
  const opened = accounts.some(({ pruned }) => pruned.some(({ reason }) => reason === 'launch'))
  return opened ? [] : ['It was shown from inside the app; the recipe begins where the app opens']
}
