import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeContainer, RecipeFallback, RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import type { Intent } from '../read/intent.ts'
import { formatReference } from '../read/matching.ts'
import { draftPageAnchor } from '../read/page-anchor.ts'
import type { Screen } from '../read/screen.ts'
import { type Candidate, findCandidates, keepStructuralText, type ScreenView } from '../read/selectors.ts'
import { draftWithoutWords } from './other-language.ts'

/** A step that sets a number by touching its controls. Undefined if they cannot be found reliably. */
export function draftAdjustStep(
  { adjustment, before, input = '', entry }: Intent,
  view: ScreenView,
): Omit<RecipeStep, 'id'> | undefined {
  if (adjustment === undefined || before === undefined) return undefined
  const { value, increase, decrease, slider } = adjustment
  const nodes: Readonly<Record<string, UiNode | undefined>> = { value, increase, decrease, slider }
  const parts = Object.entries(nodes).flatMap(([name, node]) =>
    node === undefined ? [] : [[name, findCandidates(node, before, view, entry)] as const],
  )
  const choice = chooseContainer(parts)
  if (choice === undefined) return undefined
  const inRow = entry !== undefined || choice.container !== undefined
  const candidates = new Map(parts)
  const withPlaces = Object.entries(choice.selectors).map(([name, selector]) => {
    const node = nodes[name]
    // An id is the same in every language.
    const page = inRow || selector.resource_id !== undefined ? undefined : findPage(node, before, view)
    const inEntry =
      entry === undefined || node === undefined || choice.container !== undefined
        ? []
        : draftWithoutWords(node, candidates.get(name) ?? [], before, view)
    const fallbacks = page === undefined ? inEntry : [page]
    return [name, { ...selector, ...(fallbacks.length > 0 && { fallbacks }) }] as const
  })
  return {
    type: 'adjust_until',
    ...(choice.container !== undefined && { container: choice.container }),
    params: { ...Object.fromEntries(withPlaces), target: formatReference(input) },
  }
}

function findPage(node: UiNode | undefined, screen: Screen, view: ScreenView): RecipeFallback | undefined {
  return node && draftPageAnchor(node, screen, (text) => keepStructuralText(text, view))
}

interface ContainerChoice {
  readonly container: RecipeContainer | undefined
  readonly selectors: Readonly<Record<string, RecipeSelector>>
  readonly cost: number
}

/** All parts are searched in one container, so their selectors must share it. */
function chooseContainer(parts: readonly (readonly [string, readonly Candidate[]])[]): ContainerChoice | undefined {
  const containers = new Map(
    parts.flatMap(([, candidates]) => candidates.map(({ container }) => [formatKey(container), container] as const)),
  )
  return [...containers.values()]
    .flatMap((container): ContainerChoice[] => {
      const chosen = parts.map(([name, candidates]) => {
        const at = candidates.findIndex((candidate) => formatKey(candidate.container) === formatKey(container))
        return { name, at, selector: candidates[at]?.selector }
      })
      const selectors = chosen.flatMap(({ name, selector }) =>
        selector === undefined ? [] : [[name, selector] as const],
      )
      if (selectors.length < parts.length) return []
      const cost = chosen.reduce((sum, { at }) => sum + at, 0)
      return [{ container, selectors: Object.fromEntries(selectors), cost }]
    })
    .toSorted((a, b) => a.cost - b.cost)[0]
}

const formatKey = (container: RecipeContainer | undefined): string => JSON.stringify(container ?? null)
