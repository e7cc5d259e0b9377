import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { type AccountMark, listAccountMarks } from '../../../screen/account-marks.ts'
import { findStructure } from '../../../screen/row-around.ts'
import type { RowGroup } from '../../../screen/structure/structure.ts'
import { findNodes } from '../read/matching.ts'
import type { Intent } from '../read/intent.ts'
import { isInside, type Screen } from '../read/screen.ts'
import { listAppWords } from '../read/page-anchor.ts'
import { findCandidates, keepStructuralText, type ScreenView } from '../read/selectors.ts'

const MAX_LANDMARKS = 10
const MAX_ACCOUNTS = 10

/** What the workflow takes for granted: the tabs and filters that were selected, the language, and who was signed in. */
export function draftStartingPoint(
  { intents, view }: { readonly intents: readonly Intent[]; readonly view: ScreenView },
  app: string,
): Pick<Recipe, 'landmarks' | 'accounts' | 'words'> {
  const screens = intents.flatMap(({ before }) => (before?.package === app ? [before] : []))
  const landmarks = new Map<string, RecipeSelector>()
  for (const [at, screen] of screens.entries()) {
    const touched = intents.filter(({ before }) => before === screen).flatMap(({ node }) => node ?? [])
    for (const selector of listLandmarks(screen, touched, view)) {
      if (at < MAX_LANDMARKS) landmarks.set(JSON.stringify(selector), selector)
    }
  }
  const firstEntry = intents.find(({ kind, entry }) => kind === 'choose' && entry !== undefined)?.before
  const accounts = listStableAccounts(screens, firstEntry === undefined ? screens.length : screens.indexOf(firstEntry))
  const words = listAppWords(screens, (text) => keepStructuralText(text, view))
  return {
    ...(words.length > 0 && { words }),
    ...(landmarks.size > 0 && { landmarks: [...landmarks.values()].slice(0, MAX_LANDMARKS) }),
    ...(accounts.length > 0 && { accounts: accounts.slice(0, MAX_ACCOUNTS) }),
  }
}

/** The selected members of tabs and filters that the workflow does not touch itself on this screen. */
function listLandmarks(screen: Screen, touched: readonly UiNode[], view: ScreenView): RecipeSelector[] {
  const [first] = screen.nodes
  if (first === undefined || screen.is_dialog) return []
  const structure = findStructure(first)
  return structure.groups.flatMap((group): RecipeSelector[] => {
    if (structure.classify(group) === 'data') return []
    const state = (['selected', 'checked'] as const).find((name) => isStrip(group, name))
    const chosen = state === undefined ? [] : group.members.filter((member) => hasState(member, state))
    const [only] = chosen
    if (only === undefined || state === undefined || chosen.length > 1) return []
    if (touched.some((node) => group.members.some((member) => isInside(node, member)))) return []
    const candidate = findCandidates(only, screen, view).find(
      ({ source, container }) => container === undefined && source !== 'place' && source !== 'position',
    )
    if (candidate === undefined || findNodes(screen, candidate, view.examples).length !== 1) return []
    return [{ ...candidate.selector, [state]: true }]
  })
}

/** Tabs are selected. Filters may be checked instead, side by side; boxes below each other belong to a form. */
function isStrip({ members, direction }: RowGroup, state: 'selected' | 'checked'): boolean {
  if (state === 'checked' && direction === 'down') return false
  return members.some((member) => hasState(member, state))
}

function hasState(member: UiNode, state: 'selected' | 'checked'): boolean {
  for (const node of subtree(member)) if (isTrue(node, state)) return true
  return false
}

/**
 * The accounts that stay the same on all screens that name one in the same words. The screens after `lastCommon` may be
 * about an entry, and name its people.
 */
function listStableAccounts(screens: readonly Screen[], lastCommon: number): AccountMark[] {
  const names = new Map<string, Set<string>>()
  for (const [at, { nodes }] of screens.entries()) {
    for (const { frame, name } of listAccountMarks(nodes, { only_sure: at > lastCommon }))
      names.set(frame, (names.get(frame) ?? new Set()).add(name))
  }
  return [...names].flatMap(([frame, found]) => {
    const [name] = found
    return name !== undefined && found.size === 1 ? [{ frame, name }] : []
  })
}
