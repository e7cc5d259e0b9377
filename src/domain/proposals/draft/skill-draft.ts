import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import {
  NOTHING_SHOWS_IT,
  type QuestionChoice,
  type SemanticWorkflowInterpretation,
} from '@apprentice/contracts/learn/proposal.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { DraftFile } from '../../../store/proposals/draft-files.ts'
import type { Examples } from '../../../store/proposals/proposal-examples.ts'
import { bindToDocument, bindToRunner } from '../../../knowledge/skill-format/runner-binding.ts'
import type { RunFacts } from '../../../knowledge/skill-format/run-section.ts'
import { toRecipeInput } from '../../../knowledge/interpret/read/inputs.ts'
import { learnLesson } from '../../../knowledge/interpret/draft/lesson.ts'
import { toReview } from '../../../knowledge/interpret/draft/review.ts'
import type { Doubt, LearnedWorkflow } from '../../../knowledge/interpret/draft/workflow.ts'
import { formatRecipe } from '../../../knowledge/canonical-json/canonical-json.ts'
import { formatCheckpointId } from './checkpoint-draft.ts'
import { type DraftSource, findApp, splitStatements } from './draft-source.ts'
import { buildInterpretation, UNNAMED_TITLE } from './interpretation.ts'
import { describeLesson, type Learn } from './learned-workflow.ts'
import { showsOutcome } from '../../../knowledge/recipes/parse/shown-outcome.ts'
import { toLatin } from '../../../knowledge/text/latin.ts'
import { clip, distinct } from '../../../knowledge/text/plain-text.ts'
import { editInterpretation, editSearchFields } from '../content/edits.ts'
import { describeForImproving, improveDraft, keepSearchWords, keepWords } from './improved-draft.ts'
import { gradePortability, formatSkillDocument } from './skill-document.ts'
import { writeTriggerTests } from './trigger-tests.ts'
import { buildGraph, buildLearnedGraph } from './workflow-graph.ts'

/** A compiled draft: fields of the proposal, its interpretation and its files. */
export interface SkillDraft {
  readonly title: string
  readonly proposed_skill_slug: string
  readonly trigger_phrases: string[]
  readonly negative_triggers: string[]
  readonly support_pack_refs: string[]
  readonly interpretation: SemanticWorkflowInterpretation
  readonly files: readonly DraftFile[]
  /** The demonstrated value of each input. Private to the owner and never written to a file. */
  readonly examples?: Examples
  /** What the demonstration could not prove. Becomes questions. */
  readonly doubts?: readonly Doubt[]
  /** The elements that may show the outcome, for the question about it. */
  readonly proof_choices?: readonly QuestionChoice[]
  /** Whether a check of the recipe covers the outcome as the person described it. Absent without such words. */
  readonly is_bound?: boolean
  /** Whether there is a recipe. Absent if no device was observed. */
  readonly is_repeatable?: boolean
}

export type Compile = (source: DraftSource) => SkillDraft

/** Compiles a draft. Deterministic: equal sources give equal bytes. */
export const compileDraft: Compile = (source) =>
  compileLearned(source, (lesson) => learnLesson(source.runs ?? [], lesson))

/** Compiles with lessons that are learned elsewhere. */
export const compileWith =
  (learn: Learn): Compile =>
  (source) =>
    compileLearned(source, learn)

function compileLearned(source: DraftSource, learn: Learn): SkillDraft {
  // Nothing was demonstrated for a repair.
  const learned = source.repair === undefined ? learn(describeLesson(source)) : undefined
  const shown = learned?.workflow
  const improved = improveDraft(source, shown)
  const workflow = improved?.workflow ?? shown
  const interpretation = editInterpretation(
    keepWords(buildInterpretation(source, workflow), source, improved),
    source.edits,
  )
  const drafted = {
    title: interpretation.title,
    proposed_skill_slug: buildSlug(source, interpretation.title),
    trigger_phrases: buildTriggers(interpretation),
    negative_triggers: distinct(splitStatements(source.answers.non_use_conditions, MAX_TRIGGER)),
    support_pack_refs: distinct(splitStatements(source.answers.package_assignment, 240)),
  }
  const fields = editSearchFields(keepSearchWords(drafted, source), source.edits)
  const files = buildFiles(source, { interpretation, fields, workflow })
  return {
    ...fields,
    interpretation,
    files,
    ...(workflow !== undefined && describeOpenPoints(source, workflow, learned?.proof_choices)),
  }
}

function describeOpenPoints(
  source: DraftSource,
  workflow: LearnedWorkflow,
  choices: readonly QuestionChoice[] = [],
): Pick<SkillDraft, 'examples' | 'doubts' | 'proof_choices' | 'is_bound' | 'is_repeatable'> {
  const asksWords = source.shown?.words !== undefined && workflow.recipe !== undefined
  return {
    examples: collectExamples(workflow),
    doubts: workflow.doubts,
    proof_choices: [...choices, NOTHING],
    is_repeatable: workflow.recipe !== undefined,
    ...(asksWords && { is_bound: workflow.verification.length > 0 }),
  }
}

const NOTHING: QuestionChoice = { choice_id: NOTHING_SHOWS_IT, label: 'Nothing on the screen shows it' }

/** The demonstrated value of each input that has one. */
function collectExamples({ inputs }: LearnedWorkflow): Examples {
  return Object.fromEntries(inputs.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])))
}

type DraftFields = Omit<SkillDraft, 'interpretation' | 'files' | keyof ReturnType<typeof describeOpenPoints>>

const MAX_TRIGGER = 120

function buildTriggers({ title, goal_summary }: SemanticWorkflowInterpretation): string[] {
  return distinct([clip(title, MAX_TRIGGER), ...(goal_summary.length <= MAX_TRIGGER ? [goal_summary] : [])])
}

/** An improved skill keeps its slug; a new one gets a slug made from its title. */
function buildSlug({ session, proposal_id }: DraftSource, title: string): string {
  const improved = getImprovedSkill(session)?.replace(/^(?:learned|imported)\./u, '') ?? ''
  const plain = toLatin(title)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replace(/^-/u, '')
    .slice(0, 64)
    .replace(/-$/u, '')
  const own = title === UNNAMED_TITLE ? '' : plain
  return [improved, own].find((slug) => SLUG_PATTERN.test(slug)) ?? `skill-${proposal_id.slice(-8)}`
}

const getImprovedSkill = (session: DraftSource['session']): string | undefined =>
  session.target_kind === 'existing_skill' ? session.target_skill_id : undefined

const SLUG_PATTERN = /^[a-z0-9][a-z0-9-]{1,63}$/u

interface DraftParts {
  readonly interpretation: SemanticWorkflowInterpretation
  readonly fields: DraftFields
  readonly workflow: LearnedWorkflow | undefined
}

function buildFiles(source: DraftSource, { interpretation, fields, workflow }: DraftParts): DraftFile[] {
  const { graph_id, created_at, session } = source
  const { trigger_phrases, negative_triggers } = fields
  const document = formatSkillDocument({
    slug: fields.proposed_skill_slug,
    interpretation,
    triggers: trigger_phrases,
    negative_triggers,
    support_packs: fields.support_pack_refs,
    app: findApp(source),
    session,
    run: describeRun(source, { interpretation, fields, workflow }),
    outputs: workflow?.outputs,
    conditions: workflow?.conditions,
    hints: workflow?.hints,
    tools: listTools(source),
  })
  const marks = { graph_id, learn_session_id: session.learn_session_id, created_at }
  const graph = workflow === undefined ? buildGraph(source.demonstration, marks) : buildLearnedGraph(workflow, marks)
  const tests = {
    proposal_id: source.proposal_id,
    ...writeTriggerTests(trigger_phrases, negative_triggers, {
      title: interpretation.title,
      goal: interpretation.goal_summary,
      slug: fields.proposed_skill_slug,
    }),
    schema_version: 1,
  }
  return [
    { name: 'SKILL.md', content: document },
    jsonFile('manifest.json', buildManifest(source, { interpretation, fields, workflow })),
    jsonFile('graph.json', graph),
    jsonFile('trigger-tests.json', tests),
    ...(workflow === undefined ? [] : buildLearnedFiles(source, { interpretation, fields, workflow })),
  ]
}

/** The calls of connectors in their order. Repeats of one are one. */
const listTools = ({ demonstration }: DraftSource): string[] =>
  demonstration.steps
    .filter(({ control_surface }) => control_surface === 'mcp_connector')
    .map(({ action_label }) => action_label)
    .filter((label, at, labels) => label !== labels[at - 1])

function describeRun(source: DraftSource, { fields, workflow }: DraftParts): RunFacts {
  const recipe = workflow?.recipe
  return {
    ability_id: getAbilityId(source, fields.proposed_skill_slug),
    kind: recipe === undefined ? 'guidance' : 'runnable',
    inputs: workflow?.inputs.map(toRecipeInput) ?? [],
    unproven: recipe !== undefined && workflow !== undefined && !showsOutcome(workflow),
    may_purchase: recipe?.capabilities?.includes('purchase_risk'),
    supervised: isSupervised(source),
  }
}

const isSupervised = ({ answers }: DraftSource): boolean => answers.approval_mode === 'every_time'

/** The id under which the draft is installed. */
const getAbilityId = ({ session }: DraftSource, slug: string): string => getImprovedSkill(session) ?? `learned.${slug}`

/** The recipe and the review notes about it. */
function buildLearnedFiles(
  source: DraftSource,
  { interpretation, fields, workflow }: DraftParts & { readonly workflow: LearnedWorkflow },
): DraftFile[] {
  const { target_recipe } = source
  const named = workflow.recipe && nameRecipe(workflow.recipe, { interpretation, fields, workflow })
  const recipe = named && markUnproven({ ...named, recipe_id: target_recipe?.recipe_id ?? named.recipe_id })
  const review = toReview(
    { ...workflow, ...(recipe !== undefined && { recipe }) },
    {
      summary: interpretation.goal_summary,
      portability_grade: gradePortability(interpretation.preferred_control_surfaces),
      installed: target_recipe,
    },
  )
  const file = recipe && { name: 'recipe.json', content: formatRecipe(recipe) }
  const outputs = (workflow.outputs ?? []).map(({ name, type }) => ({ name, type }))
  const described = { ...review, ...(outputs.length > 0 && { outputs }), ...describeForImproving(source) }
  return [...(file === undefined ? [] : [file]), jsonFile('review.json', described)]
}

/** A draft without verification is made only after the person was asked what shows the outcome. */
function markUnproven(recipe: Recipe): Recipe {
  if ((recipe.verification ?? []).length > 0) return recipe
  const { skip_if_done: _, verification: __, ...rest } = recipe
  return { ...rest, unproven: true }
}

/** The recipe with an id and summary from the skill and only the skill's checkpoints. */
function nameRecipe(
  recipe: Recipe,
  { interpretation, fields, workflow }: DraftParts & { readonly workflow: LearnedWorkflow },
): Recipe {
  const known = new Set(interpretation.checkpoints.map(({ checkpoint_id }) => checkpoint_id))
  const checkpoints = workflow.checkpoints
    .map(({ after_step }, index) => ({ checkpoint_id: formatCheckpointId(index), after_step }))
    .filter(({ checkpoint_id }) => known.has(checkpoint_id))
  return {
    ...recipe,
    recipe_id: `${recipe.application_id}.${fields.proposed_skill_slug}`.slice(0, 128),
    summary: clip(interpretation.title, 240),
    ...(checkpoints.length > 0 && { checkpoints }),
  }
}

function buildManifest(source: DraftSource, { interpretation, fields, workflow }: DraftParts) {
  const slug = fields.proposed_skill_slug
  const surfaces = interpretation.preferred_control_surfaces.filter(
    (surface) => ControlSurface.safeParse(surface).success,
  )
  const proofs =
    interpretation.success_conditions.length > 0 ? interpretation.success_conditions : [interpretation.title]
  const capability_id = getAbilityId(source, slug)
  return {
    capability_id,
    family: findApp(source) ?? 'learned',
    title: interpretation.title,
    origin_skill: slug,
    kind: 'promoted_skill',
    aliases: [],
    action_verbs: [],
    surface_order: surfaces.length > 0 ? surfaces : ['native_openclaw_tool'],
    required_runtime_caps: [],
    permissions: [],
    requires_supervision: isSupervised(source),
    dry_run_supported: false,
    routing_eligible: true,
    ...(workflow?.recipe === undefined ? bindToDocument(slug, proofs) : bindToRunner(workflow.recipe, proofs)),
    health_probe: { kind: 'noop', target: capability_id, timeout_ms: 3000 },
    learning_policy: {
      teach_mode_allowed: true,
      auto_capture_trace: true,
      proposal_required_for_mutation: true,
    },
    schema_version: 1,
  }
}

const jsonFile = (name: string, value: unknown): DraftFile => ({
  name,
  content: `${JSON.stringify(value, null, 2)}\n`,
})
