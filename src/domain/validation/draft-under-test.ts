import type { SemanticWorkflowInterpretation } from '@apprentice/contracts/learn/proposal.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Reader } from '../../store/db/db.ts'
import { type DraftFile, listDraftFiles } from '../../store/proposals/draft-files.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findExamples } from '../../store/proposals/proposal-examples.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { findTestPolicy } from '../../store/proposals/test-policies.ts'
import { findProposalSession } from '../proposals/moves.ts'
import { parseRecipe } from '../../knowledge/recipes/check/parse-recipe.ts'
import { type CompiledPart, RunCompiler } from '../../knowledge/recipes/compile/compile-run.ts'
import { Failure } from '../../failure/failure.ts'
import { getCalledAbility } from '../abilities/called-abilities.ts'

/** A draft with everything its tests read. */
export interface DraftUnderTest {
  readonly proposal: StoredProposal
  readonly session: StoredSession | undefined
  readonly meaning: SemanticWorkflowInterpretation | undefined
  readonly files: readonly DraftFile[]
  /** Undefined if the skill is only a document. */
  readonly recipe: RecipeUnderTest | undefined
  readonly policy: TestPolicy
  /** A policy was set. Otherwise the draft may only be planned. */
  readonly policy_given: boolean
}

export type RecipeUnderTest =
  | {
      readonly recipe: Recipe
      readonly compiled: CompiledDraft
      /** The text values it is compiled with, by input name. */
      readonly texts: ReadonlyMap<string, string>
    }
  | { readonly violations: readonly DraftViolation[] }

export interface DraftViolation {
  readonly code: string
  readonly message: string
}

/** The executions of a draft in order, or why it does not compile. */
export type CompiledDraft =
  | { readonly ok: true; readonly parts: readonly PartUnderTest[] }
  | { readonly ok: false; readonly violations: readonly DraftViolation[] }

/** One execution of a draft: of its own recipe, or of an ability that it calls. */
export interface PartUnderTest extends CompiledPart {
  readonly recipe: Recipe
}

/** The id of an action or a step in the whole draft: `<call>/<id>` in a called ability. */
export const qualifyPartId = ({ call }: Pick<CompiledPart, 'call'>, id: string): string =>
  call === '' ? id : `${call}/${id}`

/** Values for the inputs of a recipe, instead of the demonstrated ones. */
export type GivenInputs = Readonly<Record<string, unknown>>

export function readDraft(reader: Reader, proposal: StoredProposal, given: GivenInputs = {}): DraftUnderTest {
  const session = findProposalSession(reader, proposal)
  const { interpretation_id, proposal_id } = proposal
  const files = listDraftFiles(reader, proposal_id)
  const policy = findPolicy(reader, session)
  return {
    proposal,
    session,
    meaning: interpretation_id === undefined ? undefined : findInterpretation(reader, interpretation_id),
    files,
    recipe: readRecipeFile(reader, { proposal, session, files }, { ...findExamples(reader, proposal_id), ...given }),
    policy: policy ?? PLAN_ONLY_POLICY,
    policy_given: policy !== undefined,
  }
}

function findPolicy(reader: Reader, session: StoredSession | undefined): TestPolicy | undefined {
  const id = session?.test_policy_ref?.replace(/^test_policy:/, '')
  return id === undefined ? undefined : findTestPolicy(reader, id)?.policy
}

const PLAN_ONLY_POLICY: TestPolicy = {
  policy_id: '00000000-0000-4000-8000-000000000000',
  mode: 'dry_run_only',
  safe_targets: [],
  forbid_destructive_writes: true,
  forbid_external_send: true,
  allowed_domains: [],
  max_actions: 40,
  cleanup_required: false,
  schema_version: 1,
}

interface DraftRecord {
  readonly proposal: StoredProposal
  readonly session: StoredSession | undefined
  readonly files: readonly DraftFile[]
}

function readRecipeFile(reader: Reader, draft: DraftRecord, values: GivenInputs): RecipeUnderTest | undefined {
  const { files } = draft
  const content = files.find(({ name }) => name === 'recipe.json')?.content
  if (content === undefined) return undefined
  const parsed = parseRecipe(content, 'json')
  if (!('recipe' in parsed)) return parsed
  const { recipe } = parsed
  const declared = new Set(recipe.inputs.map(({ name }) => name))
  const known = Object.entries(values).filter(([name]) => declared.has(name))
  return {
    recipe,
    compiled: compileParts(reader, draft, { recipe, inputs: Object.fromEntries(known) }),
    texts: collectTexts(recipe, known),
  }
}

/** Compiles the draft as a run would, with the abilities of its owner that it calls. The test policy is checked apart. */
function compileParts(
  reader: Reader,
  { proposal, session }: DraftRecord,
  { recipe, inputs }: { readonly recipe: Recipe; readonly inputs: GivenInputs },
): CompiledDraft {
  const { owner_user_id, proposed_skill_slug } = proposal
  const ability_id = proposal.ability_id ?? session?.target_skill_id ?? `learned.${proposed_skill_slug}`
  const recipes = new Map([[ability_id, recipe]])
  const compiler = new RunCompiler({
    commandId: 'rehearsal',
    // Profiles of the operator are checked when the rehearsal is queued.
    decide: () => ({ allowed: true }),
    findCalled: (call) => {
      const called = getCalledAbility(reader, call, owner_user_id)
      recipes.set(called.ability_id, called.recipe)
      return called
    },
  })
  try {
    const parts = compiler.compile({ ability_id, version: 0, recipe }, inputs)
    return { ok: true, parts: parts.map((part) => ({ ...part, recipe: recipes.get(part.ability_id) ?? recipe })) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ok: false, violations: [{ code: error.code, message: error.message }] }
  }
}

function collectTexts({ inputs }: Recipe, known: readonly [string, unknown][]): Map<string, string> {
  const texts = new Set(inputs.filter(({ type }) => type === 'string').map(({ name }) => name))
  return new Map(
    known.flatMap(([name, value]) =>
      texts.has(name) && typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
    ),
  )
}
