import { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { DraftFile } from '../../store/proposals/draft-files.ts'
import type { Examples } from '../../store/proposals/proposal-examples.ts'
import { declared } from '../../knowledge/interpret/read/inputs.ts'
import { reviewOf } from '../../knowledge/interpret/draft/review.ts'
import type { Doubt, LearnedWorkflow } from '../../knowledge/interpret/draft/workflow.ts'
import { recipeText } from '../../knowledge/canonical-json/canonical-json.ts'
import { checkpointId } from './checkpoint-draft.ts'
import { type DraftSource, knownApp, statements } from './draft-source.ts'
import { interpret, unnamed } from './interpretation.ts'
import { learnWorkflow } from './learned-workflow.ts'
import { clip, distinct } from '../../knowledge/text/plain-text.ts'
import { editMeaning, editWords } from './edits.ts'
import { portability, skillDocument } from './skill-document.ts'
import { triggerTests } from './trigger-tests.ts'
import { toGraph, toLearnedGraph } from './workflow-graph.ts'

/** A compiled draft: what the proposal says of it, what it means, and its files. */
export interface SkillDraft {
  readonly title: string
  readonly proposed_skill_slug: string
  readonly trigger_phrases: string[]
  readonly negative_triggers: string[]
  readonly support_pack_refs: string[]
  readonly interpretation: SemanticWorkflowInterpretation
  readonly files: readonly DraftFile[]
  /** What was demonstrated for each input: the owner's alone, never in a file. */
  readonly examples?: Examples
  /** What the demonstration left open, to be asked. */
  readonly doubts?: readonly Doubt[]
}

export type Compile = (source: DraftSource) => SkillDraft

/** Demonstration -> graph -> meaning -> files. No clock, no chance: equal sources give equal bytes. */
export function compileDraft(source: DraftSource): SkillDraft {
  const workflow = learnWorkflow(source)
  const meaning = editMeaning(interpret(source, workflow), source.edits)
  const said = {
    title: meaning.title,
    proposed_skill_slug: slugOf(source, meaning.title),
    trigger_phrases: triggersOf(meaning),
    negative_triggers: distinct(statements(source.answers.non_use_conditions, triggerLimit)),
    support_pack_refs: distinct(statements(source.answers.package_assignment, 240)),
  }
  const words = editWords(said, source.edits)
  const files = filesOf(source, { meaning, words, workflow })
  return {
    ...words,
    interpretation: meaning,
    files,
    ...(workflow !== undefined && { examples: examplesOf(workflow), doubts: workflow.doubts }),
  }
}

/** What was shown for each input, a switch's own default excepted. */
function examplesOf({ inputs }: LearnedWorkflow): Examples {
  return Object.fromEntries(
    inputs.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  )
}

type DraftWords = Omit<SkillDraft, 'interpretation' | 'files' | 'examples' | 'doubts'>

const triggerLimit = 120

function triggersOf({ title, goal_summary }: SemanticWorkflowInterpretation): string[] {
  return distinct([
    clip(title, triggerLimit),
    ...(goal_summary.length <= triggerLimit ? [goal_summary] : []),
  ])
}

/** A skill that is improved keeps its folder; a new one is named after its title. */
function slugOf({ session, proposal_id }: DraftSource, title: string): string {
  const improved = improvedSkill(session)?.replace(/^(?:learned|imported)\./u, '') ?? ''
  const plain = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replace(/^-/u, '')
    .slice(0, 64)
    .replace(/-$/u, '')
  const own = title === unnamed ? '' : plain
  return [improved, own].find((slug) => slugRule.test(slug)) ?? `skill-${proposal_id.slice(0, 8)}`
}

const improvedSkill = (session: DraftSource['session']): string | undefined =>
  session.target_kind === 'existing_skill' ? session.target_skill_id : undefined

const slugRule = /^[a-z0-9][a-z0-9-]{1,63}$/u

interface DraftParts {
  readonly meaning: SemanticWorkflowInterpretation
  readonly words: DraftWords
  readonly workflow: LearnedWorkflow | undefined
}

function filesOf(source: DraftSource, { meaning, words, workflow }: DraftParts): DraftFile[] {
  const { graph_id, created_at, session } = source
  const { trigger_phrases, negative_triggers } = words
  const document = skillDocument({
    slug: words.proposed_skill_slug,
    meaning,
    triggers: trigger_phrases,
    negative_triggers,
    support_packs: words.support_pack_refs,
    app: knownApp(source),
    session,
    inputs: workflow?.inputs.map(declared),
    conditions: workflow?.conditions,
    hints: workflow?.hints,
  })
  const marks = { graph_id, learn_session_id: session.learn_session_id, created_at }
  const graph =
    workflow === undefined ? toGraph(source.shown, marks) : toLearnedGraph(workflow, marks)
  const tests = {
    proposal_id: source.proposal_id,
    ...triggerTests(trigger_phrases, negative_triggers, meaning.title),
    schema_version: 1,
  }
  return [
    { name: 'SKILL.md', content: document },
    json('manifest.json', manifest(source, meaning, words.proposed_skill_slug)),
    json('graph.json', graph),
    json('trigger-tests.json', tests),
    ...(workflow === undefined ? [] : learnedFiles(source, { meaning, words, workflow })),
  ]
}

/** The recipe, and what a reviewer is to know of it. */
function learnedFiles(
  { target_recipe }: DraftSource,
  { meaning, words, workflow }: DraftParts & { readonly workflow: LearnedWorkflow },
): DraftFile[] {
  const named = workflow.recipe && namedRecipe(workflow.recipe, { meaning, words, workflow })
  const recipe = named && { ...named, recipe_id: target_recipe?.recipe_id ?? named.recipe_id }
  const review = reviewOf(
    { ...workflow, ...(recipe !== undefined && { recipe }) },
    {
      summary: meaning.goal_summary,
      portability_grade: portability(meaning.preferred_control_surfaces),
      installed: target_recipe,
    },
  )
  const file = recipe && { name: 'recipe.json', content: recipeText(recipe) }
  return [...(file === undefined ? [] : [file]), json('review.json', review)]
}

/** The recipe under the skill's name, with the checkpoints the skill has. */
function namedRecipe(
  recipe: Recipe,
  { meaning, words, workflow }: DraftParts & { readonly workflow: LearnedWorkflow },
): Recipe {
  const known = new Set(meaning.checkpoints.map(({ checkpoint_id }) => checkpoint_id))
  const checkpoints = workflow.checkpoints
    .map(({ after_step }, index) => ({ checkpoint_id: checkpointId(index), after_step }))
    .filter(({ checkpoint_id }) => known.has(checkpoint_id))
  return {
    ...recipe,
    recipe_id: `${recipe.application_id}.${words.proposed_skill_slug}`.slice(0, 128),
    summary: clip(meaning.title, 240),
    ...(checkpoints.length > 0 && { checkpoints }),
  }
}

function manifest(source: DraftSource, meaning: SemanticWorkflowInterpretation, slug: string) {
  const surfaces = meaning.preferred_control_surfaces.filter(
    (surface) => ControlSurface.safeParse(surface).success,
  )
  const proofs =
    meaning.success_conditions.length > 0 ? meaning.success_conditions : [meaning.title]
  const capability_id = improvedSkill(source.session) ?? `learned.${slug}`
  return {
    capability_id,
    family: knownApp(source) ?? 'learned',
    title: meaning.title,
    origin_skill: slug,
    kind: 'promoted_skill',
    aliases: [],
    action_verbs: [],
    surface_order: surfaces.length > 0 ? surfaces : ['native_openclaw_tool'],
    runtime_binding: { binding_kind: 'workflow_pattern', target: `skills/${slug}/SKILL.md` },
    required_runtime_caps: [],
    permissions: [],
    requires_supervision: source.answers.approval_mode === 'every_time',
    dry_run_supported: false,
    routing_eligible: true,
    verification: proofs.map((target) => ({ kind: 'manual_confirmation', target })),
    health_probe: { kind: 'noop', target: capability_id, timeout_ms: 3000 },
    learning_policy: {
      teach_mode_allowed: true,
      auto_capture_trace: true,
      proposal_required_for_mutation: true,
    },
    schema_version: 1,
  }
}

const json = (name: string, value: unknown): DraftFile => ({
  name,
  content: `${JSON.stringify(value, null, 2)}\n`,
})
