import { type CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { DraftFile } from '../../../store/proposals/draft-files.ts'
import { NORMALIZED_FILE } from '../../../knowledge/bundle-scan/draft-file-names.ts'
import { isUnproven } from '../../../knowledge/recipes/parse/shown-outcome.ts'
import { addRunSection, type RunFacts } from '../../../knowledge/skill-format/run-section.ts'

export interface InstalledDocuments {
  /** In the folder of this daemon. The document of an imported skill is never changed. */
  readonly canonical: string
  /** In the workspace of the agent. */
  readonly projected: string
}

/**
 * SKILL.md as it is installed. A draft that was stored before documents said how a skill is run gets that section here,
 * because changing the draft would undo its review. The body of an imported document without a recipe is not changed.
 */
export function buildInstalledDocuments(
  files: readonly DraftFile[],
  abilityId: string,
): InstalledDocuments | undefined {
  const find = (name: string): string | undefined => files.find((file) => file.name === name)?.content
  const document = find('SKILL.md')
  if (document === undefined) return undefined
  const normalized = find(NORMALIZED_FILE)
  const recipe = parse(find('recipe.json')) as Recipe | undefined
  if (normalized !== undefined && recipe === undefined) return { canonical: document, projected: normalized }
  const manifest = parse(find('manifest.json')) as Partial<CapabilityManifest> | undefined
  const projected = addRunSection(normalized ?? document, describeRun(abilityId, recipe, manifest))
  return { canonical: normalized === undefined ? projected : document, projected }
}

const describeRun = (
  ability_id: string,
  recipe: Recipe | undefined,
  manifest: Partial<CapabilityManifest> | undefined,
): RunFacts => ({
  ability_id,
  kind: recipe === undefined ? 'guidance' : 'runnable',
  inputs: recipe?.inputs ?? [],
  unproven: recipe !== undefined && isUnproven(recipe),
  may_purchase: recipe?.capabilities?.includes('purchase_risk'),
  supervised: manifest?.requires_supervision,
})

/** An imported file may be invalid. Installing it is refused elsewhere. */
function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
