import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import type { Recipe, RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { clip, distinct } from '../text/plain-text.ts'

/** The tool of this daemon that runs an ability. */
export const RUNNER_TOOL = 'run_ability'

type ManifestRun = Pick<CapabilityManifest, 'runtime_binding' | 'verification'>

/** How a recipe is run, and what its run verifies. Without a verification a person must confirm the outcome. */
export function bindToRunner({ verification = [] }: Recipe, confirmations: readonly string[]): ManifestRun {
  return {
    runtime_binding: { binding_kind: 'bridge_tool', target: RUNNER_TOOL },
    verification: verification.length > 0 ? verification.map(describeVerification) : toConfirmations(confirmations),
  }
}

/** How a document is used: an agent reads it, and a person confirms the outcome. */
export const bindToDocument = (slug: string, confirmations: readonly string[]): ManifestRun => ({
  runtime_binding: { binding_kind: 'workflow_pattern', target: `skills/${slug}/SKILL.md` },
  verification: toConfirmations(confirmations),
})

const toConfirmations = (texts: readonly string[]): CapabilityManifest['verification'] =>
  texts.map((text) => ({ kind: 'manual_confirmation', target: clip(text, 240) }))

function describeVerification(check: RecipeVerification): CapabilityManifest['verification'][number] {
  return {
    kind: 'snapshot_label',
    target: clip(findLabel(check), 240),
    expected: clip(describeExpected(check), 240),
  }
}

/** The texts by which the node is found; the id of the verification if it is found otherwise. */
function findLabel({ id, selector, container }: RecipeVerification): string {
  const texts = distinct([...listLabels(container), ...listLabels(selector)])
  return texts.length === 0 ? id : texts.join(' / ')
}

const LABEL_KEY = /^(?:text|part|content_desc)_(?:equals|contains)$|^shows$|^shows_together$/

/** The texts of a selector and of the selectors inside it. */
function listLabels(value: unknown): string[] {
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, inside]) => {
    if (!LABEL_KEY.test(key)) return listLabels(inside)
    return typeof inside === 'string' ? [inside] : Array.isArray(inside) ? inside.map(String) : []
  })
}

function describeExpected(check: RecipeVerification): string {
  const { text_equals, text_contains, text_matches, number_equals, checked, changed_by } = check
  if (text_equals !== undefined) return text_equals
  if (text_contains !== undefined) return `contains ${text_contains}`
  if (text_matches !== undefined) return `matches ${text_matches}`
  if (number_equals !== undefined) return String(number_equals)
  if (checked !== undefined) return `checked: ${checked}`
  if (changed_by !== undefined) return `changed by ${changed_by}`
  if (check.changed === true) return 'changed'
  return check.present === false ? 'absent' : 'present'
}
