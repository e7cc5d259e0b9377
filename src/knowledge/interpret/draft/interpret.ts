import type { ObservedTrace } from '../../steps/observed-step.ts'
import { alignTraces, type Column, firstIntent, readEntryName } from '../align/alignment.ts'
import { removeExamplesFromSentence } from '../align/examples.ts'
import { bindInputs } from '../align/input-binding.ts'
import { normalizeTrace } from '../normalize/normalize.ts'
import { isClaimTrue } from '../prove/claims.ts'
import type { Ending } from '../prove/ending.ts'
import { collectExampleValues } from '../prove/example-values.ts'
import { lacksTheWork } from '../prove/navigation-only.ts'
import { type PointedWorkflow, proveWherePointed } from '../prove/pointed-claims.ts'
import type { Proof } from '../prove/proof.ts'
import { rankCandidates } from '../prove/proof-candidates.ts'
import { proveOnScreen } from '../prove/revisit.ts'
import type { Rulings } from '../read/entry.ts'
import { readGoal } from '../read/goal.ts'
import { InputList, type LearnedInput } from '../read/inputs.ts'
import type { Intent } from '../read/intent.ts'
import { type NormalizedTrace, toPruned } from '../read/normalized-trace.ts'
import { ScreenIndex } from '../read/screen-index.ts'
import { listTextNodes, readOwnText, readText } from '../read/node-text.ts'
import { isTextField, type Screen } from '../read/screen.ts'
import { findCandidates, keepStructuralText, type ScreenView } from '../read/selectors.ts'
import { collectWords } from './app-words.ts'
import { draftCheckpoints } from './checkpoints.ts'
import { addOutputs, includeOutputs, locateOutputs } from './outputs.ts'
import { draftRecipe, type RecipeParts } from './recipe-draft.ts'
import { draftSteps } from './recipe-steps.ts'
import type { Doubt, InterpretationContext, LearnedWorkflow } from './workflow.ts'

/** Learns a workflow from traces of it: steps, inputs, verification and a recipe. Deterministic. */
export function interpretTraces(observed: readonly ObservedTrace[], context: InterpretationContext): LearnedWorkflow {
  const pinned = new Set(context.pinned ?? [])
  const traces = observed.map((trace) => normalizeTrace(trace, pinned))
  const { columns, reordered } = alignTraces(traces.map(({ intents }) => intents))
  const inputs = new InputList(context.input_names)
  const words = collectWords(traces, context.goal, bindWithoutWords(traces, columns, context))
  const all = bindColumns(columns, { inputs, ...words }, context)
  const view = buildView(traces, { inputs, ...words }, all)
  const listPlaces: PointedWorkflow['listPlaces'] = (node, screen, entry) =>
    findCandidates(node, screen, { ...view, examples: inputs.examples }, entry)
  const keepText = (text: string) => keepStructuralText(text, view)
  const pointed = { observed, intents: all, inputs, listPlaces, keepText }
  const outputs = locateOutputs(context.outputs ?? [], pointed)
  const found = chooseEnd(all, view, inputs)
  const end = includeOutputs(proveWherePointed(context.proofs ?? [], found, pointed), outputs)
  const intents = all.slice(0, end.length)
  const checked = end.proof && checkOnAllTraces(end.proof, { traces, columns, intents })
  inputs.fixToExample(context.always ?? [])
  const parts: RecipeParts = {
    intents,
    steps: draftSteps(intents, view, checked?.proof),
    proof: checked?.proof,
    inputs: inputs.all,
    dismissals: traces.flatMap(({ dismissals }) => dismissals),
    view,
  }
  const draft = addOutputs(draftRecipe(parts, context), outputs, parts)
  const wayBack = all.slice(end.length)
  const proofDoubts = draft.is_proved_by_reading ? [] : doubtProof(checked?.proof, intents, context.goal)
  return {
    steps: parts.steps,
    pruned: [
      ...traces.flatMap(({ pruned }) => pruned),
      ...(wayBack.length === 0 ? [] : [toPruned(wayBack, 'detour', WAY_BACK)]),
    ],
    inputs: inputs.all,
    outputs: draft.outputs,
    verification: draft.verification,
    checkpoints: draftCheckpoints(parts, draft, context),
    conditions: collectConditions(context, inputs.all),
    hints: generalizeSentences(context.hints ?? [], inputs.all),
    ...(draft.recipe !== undefined && { recipe: draft.recipe }),
    doubts: [...draft.doubts, ...(checked?.doubts ?? []), ...(reordered ? [OTHER_ORDER] : []), ...proofDoubts],
    ...(proofDoubts.length > 0 && { proof_candidates: rankCandidates(pointed, found, goesBack) }),
    notes: [...draft.notes, ...noteStart(traces)],
  }
}

/** Binds the intents for the first time, to find the rows that they touch as parts of the app. */
function bindWithoutWords(
  traces: readonly NormalizedTrace[],
  columns: readonly Column[],
  context: InterpretationContext,
): Intent[] {
  const inputs = new InputList(context.input_names)
  return bindColumns(columns, { inputs, ...collectWords(traces, context.goal, []) }, context)
}

const WAY_BACK = 'The way back after the workflow was done'
const OTHER_ORDER: Doubt = {
  field: 'goal_summary',
  reason: 'The demonstrations do the same steps in different orders; the recipe uses the first order',
}

interface Naming extends Pick<ScreenView, 'isOfApp' | 'isPersonal'> {
  readonly inputs: InputList
}

function buildView(
  traces: readonly NormalizedTrace[],
  { inputs, isOfApp, isPersonal }: Naming,
  bound: readonly Intent[],
): ScreenView {
  const index = new ScreenIndex(traces.flatMap(({ intents }) => intents))
  const { examples, variable_texts } = inputs
  const chosen = bound.flatMap(({ entry, before }) =>
    entry === undefined || before === undefined ? [] : [{ node: entry.row.node, screen: before }],
  )
  return { index, examples, variable_texts, entry_texts: index.listEntryTexts(chosen), isOfApp, isPersonal }
}

function bindColumns(columns: readonly Column[], naming: Naming, context: InterpretationContext): Intent[] {
  const goal = readGoal(context.goal)
  const rulings = collectRulings(columns, context)
  const bound = bindInputs(columns.map(firstIntent), { ...naming, rulings, goal })
  return bound.map((intent, at) => markOptional(intent, columns[at]))
}

/** A choice that differs between traces is an input. */
function collectRulings(columns: readonly Column[], context: InterpretationContext): Rulings {
  const listDiffering = (readValue: (intent: Intent) => unknown): string[] =>
    columns.flatMap((column) => {
      const present = column.intents.filter((intent) => intent !== undefined)
      const values = new Set(present.map(readValue))
      return values.size > 1 ? firstIntent(column).event_ids : []
    })
  return {
    fixed: new Set(context.fixed ?? []),
    varied: new Set([...(context.varied ?? []), ...listDiffering(readEntryName)]),
    undecided: new Set(listDiffering(({ toggled }) => toggled?.checked)),
  }
}

/** A step that some traces lack is optional, unless it sets a value. */
function markOptional(intent: Intent, column: Column | undefined): Intent {
  const isMissing = column?.intents.some((one) => one === undefined) ?? false
  const setsValue = ['toggle', 'adjust', 'date', 'pick'].includes(intent.kind)
  return isMissing && !setsValue ? { ...intent, optional: true } : intent
}

interface WorkflowEnd {
  /** How many intents belong to the workflow. */
  readonly length: number
  readonly proof: Proof | undefined
}

/** The person may have gone back after the workflow was done. The end with the strongest proof counts. */
function chooseEnd(intents: readonly Intent[], view: ScreenView, inputs: InputList): WorkflowEnd {
  let best: WorkflowEnd = { length: intents.length, proof: undefined }
  for (let length = intents.length; length > 0; length -= 1) {
    const proof = proveAfter(intents.slice(0, length), view, inputs)
    if (proof !== undefined && proof.strength > (best.proof?.strength ?? 0)) {
      best = { length, proof }
    }
    const last = intents[length - 1]
    if (last === undefined || !goesBack(last)) break
  }
  return best
}

/** Going back, or leaving a page that only tells the result. */
function goesBack({ kind, key, gesture, node, before, pinned }: Intent): boolean {
  if (pinned === true) return false
  if (kind === 'key') return key === 'back'
  if (kind !== 'press' || gesture !== 'tap' || node === undefined || before === undefined) return false
  const labels = [readOwnText(node), ...listTextNodes(node).map(readText)]
  return labels.some((label) => LEAVING_LABEL.test(label.trim())) && !before.nodes.some(isTextField)
}

const LEAVING_LABEL =
  /^(?:done|close|finish(?:ed)?|got it|great|back(?: to .+)?|navigate up|go back|return(?: to .+)?|dismiss|continue shopping|view (?:list|all)|fertig|schließen|zurück(?: .+)?|verstanden|terminé|fermer|retour|listo|cerrar|volver|hecho|chiudi|fine|indietro|klaar|sluiten|terug|concluído|fechar|voltar)$/iu

function proveAfter(intents: readonly Intent[], view: ScreenView, inputs: InputList): Proof | undefined {
  const end = intents.at(-1)?.after
  if (end === undefined) return undefined
  const earlier = intents.flatMap(({ before }) => before ?? [])
  const ending: Ending = {
    end,
    earlier,
    intents,
    inputs: inputs.all,
    examples: new Map(inputs.all.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]]))),
    locate: (node, screen, entry) => findCandidates(node, screen, view, entry)[0],
    listPlaces: (node, screen) => findCandidates(node, screen, view),
    keepText: (text) => keepStructuralText(text, view),
    isPersonal: view.isPersonal,
  }
  return proveOnScreen(ending)
}

/** Drops claims that are false at the end of another trace, with the values of that trace. */
function checkOnAllTraces(
  proof: Proof,
  work: {
    readonly traces: readonly NormalizedTrace[]
    readonly columns: readonly Column[]
    readonly intents: readonly Intent[]
  },
): { readonly proof: Proof; readonly doubts: readonly Doubt[] } {
  const others = work.traces.slice(1).flatMap(({ intents }, at) => {
    const end = intents.at(-1)?.after
    if (end === undefined) return []
    return [{ end, examples: collectExampleValues(work.intents, work.columns, at + 1) }]
  })
  const isOnEnd = proof.reopen === undefined && proof.message === undefined
  const checkable = isOnEnd ? proof.claims : []
  const refuted = checkable.filter((claim) =>
    others.some(({ end, examples }) => isComparable(end, proof.end) && !isClaimTrue(claim, end, examples)),
  )
  const claims = proof.claims.filter((claim) => !refuted.includes(claim))
  const doubts = refuted.map(({ text }) => ({
    field: 'success_condition' as const,
    reason: `The demonstrations end differently; not all of them show this: ${text}`,
  }))
  return { proof: { ...proof, claims }, doubts }
}

function isComparable(end: Screen, other: Screen): boolean {
  return end.package === other.package && !end.is_loading
}

function doubtProof(proof: Proof | undefined, intents: readonly Intent[], goal: string | undefined): Doubt[] {
  const field = 'success_condition' as const
  if (intents.length === 0) {
    return [{ field, reason: 'The demonstration has no step that a recipe could repeat' }]
  }
  if (proof === undefined || proof.claims.length === 0) {
    return [{ field, reason: 'No screen shows that the workflow was done' }]
  }
  if (proof.only_the_form && ['press', 'choose'].includes(intents.at(-1)?.kind ?? '')) {
    return [{ field, reason: 'Only the form that was filled in shows the outcome, not saved data' }]
  }
  if (lacksTheWork(intents, goal)) {
    return [{ field, reason: 'The steps only open pages; none of them does what the goal says' }]
  }
  return []
}

/** Guards, decisions and constraints without the values of the demonstration. */
function collectConditions(
  { marks, constraints = [] }: InterpretationContext,
  inputs: readonly LearnedInput[],
): string[] {
  const marked = marks.filter(({ kind }) => kind === 'guard' || kind === 'decision').map(({ label }) => label)
  return generalizeSentences([...marked, ...constraints], inputs)
}

/** Removes examples from sentences. A value that is always the same stays. */
function generalizeSentences(sentences: readonly string[], inputs: readonly LearnedInput[]): string[] {
  const variable = inputs.filter((input) => typeof input.default !== 'string')
  const general = sentences.map((text) => removeExamplesFromSentence(text, variable).trim())
  return [...new Set(general.filter((text) => text !== ''))]
}

function noteStart(traces: readonly NormalizedTrace[]): string[] {
  const isOpened = traces.some(({ pruned }) => pruned.some(({ reason }) => reason === 'launch'))
  return isOpened ? [] : ['The demonstration started inside the app; the recipe starts where the app opens']
}
