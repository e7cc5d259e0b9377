import { z } from 'zod'
import { getAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { listVersions } from '@apprentice/contracts/abilities/installs.ts'
import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import { getProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'

/** What is needed to describe an ability and its steps to a person. */
export interface AbilityFacts {
  readonly inputs: readonly RecipeInput[]
  /** What each step does, by its id. */
  readonly steps: ReadonlyMap<string, string>
}

/** The parts of a draft's review that describe its steps. Drafts that were not learned may lack them. */
const DraftReview = z.object({
  steps: z.array(z.object({ step_id: z.string(), description: z.string() })).catch([]),
  verification: z.array(z.object({ id: z.string(), words: z.string() })).catch([]),
})

export async function readAbilityFacts(call: Call, abilityId: string): Promise<AbilityFacts> {
  const { inputs } = await call(getAvailability, { params: { abilityId } })
  return { inputs, steps: await readStepDescriptions(call, abilityId) }
}

/** Descriptions come from the draft the ability was installed from, which only its owner may read. */
async function readStepDescriptions(call: Call, abilityId: string): Promise<AbilityFacts['steps']> {
  try {
    const { versions } = await call(listVersions, { params: { abilityId } })
    const proposalId = versions.find(({ current }) => current)?.proposal_id
    if (proposalId === undefined) return new Map()
    return toAbilityFacts(await call(getProposalDetail, { params: { proposalId } })).steps
  } catch (error) {
    if (error instanceof ApiFailure) return new Map()
    throw error
  }
}

export function toAbilityFacts({
  recipe,
  review,
}: {
  readonly recipe?: Readonly<Record<string, unknown>> | undefined
  readonly review?: Readonly<Record<string, unknown>> | undefined
}): AbilityFacts {
  const parsed = DraftReview.safeParse(review ?? {}).data
  return {
    inputs: z.array(RecipeInput).catch([]).parse(recipe?.['inputs']),
    steps: new Map([
      ...(parsed?.steps ?? []).map((step) => [step.step_id, step.description] as const),
      ...(parsed?.verification ?? []).map(({ id, words }) => [`verify.${id}`, words] as const),
    ]),
  }
}
