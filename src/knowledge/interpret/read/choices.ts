import { readLabelDate } from '../../../screen/calendar/calendar-date.ts'
import { isClockText } from '../../../screen/fingerprint.ts'
import { isWithin } from '../../../screen/tree/bounds.ts'
import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findStructure } from '../../../screen/row-around.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { hasMeaning } from '../../../screen/words/words.ts'
import { findShownValue } from '../../../screen/shown-value/shown-value.ts'
import { findCheckable, isRadio } from './controls.ts'
import { findCounterpart } from './counterpart.ts'
import type { Choice } from './choice.ts'
import type { Intent } from './intent.ts'
import { readText } from './node-text.ts'
import { isReadable } from './rows.ts'
import { findNode, findScroller, isInside, isSameKind, isTextField, listAncestors, type Screen } from './screen.ts'

/** The choice that a tap made, if it made one. `later` are the intents after it. */
export function findChoice(intent: Intent, earlier: readonly Intent[], later: readonly Intent[]): Choice | undefined {
  const { node, before, after } = intent
  if (node === undefined || before === undefined || after === undefined || isTextField(node)) return undefined
  const around = findMembers(node, before)
  const option = around.find((member) => isInside(node, member))
  // The buttons below a list of options are no options.
  const members = around.filter(
    (member) =>
      option === undefined ||
      (!endsList(member, option) && !isButtonBelow(member, option) && !isUsedOtherwise(member, before, later)),
  )
  if (option === undefined || members.length < 2 || isSection(option)) return undefined
  const first = readOption(option, before)
  // The buttons of a dialog decide, they do not choose.
  const words = members.map((member) => readOption(member, before))
  if (first === '' || (before.is_dialog && words.some((one) => hasMeaning(one, 'dismiss')))) return undefined
  // A tab that leads to another page is navigation, unless it leads back to the page that offered the choice.
  const isWindow = before.is_dialog || after.is_dialog || findPageBelow(intent, members, earlier) !== undefined
  if (!isWindow && !isSameKind(before, after)) return undefined
  // The options of a window that closed are gone: other nodes have their paths.
  const isExclusive = before.is_dialog === after.is_dialog && selectsExclusively(option, members, { before, after })
  const at = isExclusive ? -1 : findAnswer(first, option, intent, { members, earlier })
  const text = at < 1 ? first : (listCells(option)[at]?.text ?? first)
  if (!isExclusive && at < 0) return undefined
  const cells = listCells(option).length
  const alike = members.filter((member) => isExclusive || listCells(member).length === cells)
  const readMember = (member: UiNode) => (at < 1 ? readOption(member, before) : (listCells(member)[at]?.text ?? ''))
  const options = alike.map(readMember).filter((one) => one !== '')
  const mayContinue = findScroller(option) !== undefined || mayHaveMore(option, members)
  // Options with several texts are entries that belong to a person.
  const isFixed = !mayContinue && !options.every(isTimeOrDate)
  const is_closed = isFixed && (isExclusive || (options.length <= MAX_LISTED && cells <= 1))
  return { option, members: alike, text, options: [...new Set(options)], is_closed }
}

const MAX_LISTED = 12

/** Times and days that are offered change from day to day. */
const isTimeOrDate = (text: string): boolean => isClockText(text) || readLabelDate(text) !== undefined

/** A box without a touch of its own that holds buttons, below options that are touched as a whole. */
function endsList(member: UiNode, option: UiNode): boolean {
  if (!isTrue(option, 'clickable') || isTrue(member, 'clickable')) return false
  return [...subtree(member)].some((one) => one !== member && isTrue(one, 'clickable'))
}

/** A control that cannot be checked, below an option that can. */
const isButtonBelow = (member: UiNode, option: UiNode): boolean =>
  isTrue(option, 'checkable') &&
  ![...subtree(member)].some((one) => isTrue(one, 'checkable')) &&
  (member.bounds?.top ?? 0) >= (option.bounds?.bottom ?? 0)

/** Whether a later tap on a member of the same page did not choose it: a button below the options is none of them. */
function isUsedOtherwise(member: UiNode, screen: Screen, later: readonly Intent[]): boolean {
  return later.some(({ node, before, after, kind }) => {
    if (node?.path !== member.path || kind !== 'press' || before === undefined || after === undefined) return false
    const now = findNode(after, member.path)
    return isSameKind(before, screen) && (now === undefined || !isChosen(now))
  })
}

/** A part of a page that has fields or several controls of its own. */
function isSection(option: UiNode): boolean {
  const inside = [...subtree(option)]
  return inside.some(isTextField) || inside.filter((node) => isTrue(node, 'clickable')).length > MAX_CONTROLS
}

/** An option may take the touch itself, and have a mark and a button that explains it. */
const MAX_CONTROLS = 3

/** More options may be out of view: a part of one without its words is at the edge of the box. */
function mayHaveMore(option: UiNode, members: readonly UiNode[]): boolean {
  const beside = [...(option.parent?.children ?? []), ...members]
  return beside.some((one) => isTrue(one, 'clickable') && isEmpty(one) && !isTrue(one, 'checkable'))
}

const isEmpty = (node: UiNode): boolean => [...subtree(node)].every((one) => readText(one) === '')

/** The place of the cell whose text the screen below shows now: 0 for the first. Negative if none. */
function findAnswer(
  first: string,
  option: UiNode,
  intent: Intent,
  { members, earlier }: { readonly members: readonly UiNode[]; readonly earlier: readonly Intent[] },
): number {
  const isAnswer = (text: string) => answersQuestion(intent, text, members, earlier)
  return isAnswer(first) ? 0 : listCells(option).findIndex(({ text }) => isReadable(text) && isAnswer(text))
}

/** The group around a node: similar siblings, or radio buttons with a label beside each. */
function findMembers(node: UiNode, screen: Screen): readonly UiNode[] {
  const structure = findStructure(node)
  const around = structure.groups.filter(({ members }) => members.some((member) => isInside(node, member)))
  const [smallest] = around.toSorted((a, b) => a.members.length - b.members.length)
  const exclusive = around.find((group) => countChosen(group.members) === 1 && structure.classify(group) !== 'data')
  const radios = screen.nodes.filter((one) => isRadio(one))
  const isOnRadio = radios.some((radio) => isInside(radio, node) || radio === node)
  // A button below the options is no option.
  if (exclusive !== undefined) {
    return isOnRadio
      ? exclusive.members.filter((member) => radios.some((radio) => isInside(radio, member)))
      : exclusive.members
  }
  // Some toolkits draw the radio button inside the option that takes the touch.
  const holding = around.find(({ members }) =>
    members.every((member) => radios.filter((radio) => isInside(radio, member)).length === 1),
  )
  if (isOnRadio && radios.length > 1) return holding?.members ?? radios
  const choice = around.find((group) => structure.classify(group) === 'choice')
  return choice?.members ?? smallest?.members ?? []
}

const countChosen = (members: readonly UiNode[]): number => members.filter((member) => isChosen(member)).length

function isChosen(member: UiNode): boolean {
  for (const node of subtree(member)) if (isTrue(node, 'selected') || isTrue(node, 'checked')) return true
  return false
}

/** The words of an option: its own, or those beside a bare radio button. */
function readOption(option: UiNode, screen: Screen): string {
  const cell = listCells(option).find(({ text }) => isReadable(text))
  // React Native joins the texts of a row in one description.
  const isJoined = cell !== undefined && (cell.node.attributes['text'] ?? '').trim() === ''
  if (cell !== undefined) return isJoined ? (splitLabel(cell.text)[0] ?? cell.text) : cell.text
  const beside = findTextOfBare(option, screen)
  return beside === undefined ? '' : readText(beside)
}

/** The text that is drawn over a bare option, within its edges: a touch of the text is a touch of the option. */
export function findTextOver(option: UiNode, screen: Screen): UiNode | undefined {
  const shown = readText(option) === '' ? findTextOfBare(option, screen) : undefined
  return shown !== undefined && isWithin(shown.bounds, option.bounds) ? shown : undefined
}

/** The text over a bare radio button or on its line, nearest first. */
function findTextOfBare({ parent, bounds }: UiNode, { nodes }: Screen): UiNode | undefined {
  if (parent === null || bounds === null) return undefined
  const gaps = new Map<UiNode, number>()
  for (const one of nodes) {
    const place = one.bounds
    if (place === null || one.children.length > 0 || !isReadable(readText(one)) || !isInside(one, parent)) continue
    const middle = (place.top + place.bottom) / 2
    if (middle < bounds.top || middle > bounds.bottom) continue
    gaps.set(one, Math.max(0, place.left - bounds.right, bounds.left - place.right))
  }
  return [...gaps.keys()].toSorted((a, b) => (gaps.get(a) ?? 0) - (gaps.get(b) ?? 0))[0]
}

/** The node at the path of an option. In another window another kind of node has its path. */
function findAgain(option: UiNode, { before, after }: Change): UiNode | undefined {
  const now = findNode(after, option.path)
  const isSame = (name: string) => now?.attributes[name] === option.attributes[name]
  return isSameKind(before, after) || (isSame('class') && isSame('resource-id')) ? now : undefined
}

interface Change {
  readonly before: Screen
  readonly after: Screen
}

/** After the tap, this member and no other is selected. */
function selectsExclusively(option: UiNode, members: readonly UiNode[], change: Change): boolean {
  const { after } = change
  const now = members.map((member) => findAgain(member, change) ?? findCounterpart(member, after))
  const chosen = now[members.indexOf(option)]
  if (chosen === undefined || !isChosen(chosen) || isInNextWindow(option, chosen, change)) return false
  const control = findCheckable(option, after)
  const others = now.filter((member) => member !== undefined && member !== chosen)
  if (others.some((member) => member !== undefined && isChosen(member))) return false
  // One checkbox of several excludes nothing unless another was cleared by the tap.
  const cleared = members.some((member) => member !== option && isChosen(member))
  return cleared || control === undefined || isRadio(control) || (members.length > 2 && !isBox(control))
}

/** Whether a node is a part of the window that a row of a menu opened: both have their parts at the same paths. */
function isInNextWindow(option: UiNode, now: UiNode, { before, after }: Change): boolean {
  const [was, is] = [before, after].map(({ is_dialog, nodes }) =>
    is_dialog ? nodes[0]?.attributes['bounds'] : undefined,
  )
  if (was === undefined || is === undefined || was === is) return false
  const words = [...subtree(option)].map(readText).filter(isReadable)
  const shown = [...subtree(now)].map(readText)
  return words.length > 0 && !words.some((word) => shown.some((text) => text.includes(word)))
}

const isBox = (control: UiNode): boolean => /CheckBox|Switch|Toggle/.test(control.attributes['class'] ?? '')

/** A menu or dialog closed, and the screen below shows the text of the option where it did not before. */
function answersQuestion(
  intent: Intent,
  text: string,
  members: readonly UiNode[],
  earlier: readonly Intent[],
): boolean {
  const { before, after } = intent
  if (before === undefined || after === undefined) return false
  // What opens a window has not answered it.
  if (after.is_dialog && !before.is_dialog) return false
  const below = findPageBelow(intent, members, earlier)
  if (below === undefined || countShown(after, text) <= countShown(below, text)) return false
  // A sheet or a menu without a frame may hold commands, and a message or the next window may repeat their words.
  const isFramed = before.is_dialog && before.nodes[0]?.bounds?.left !== 0
  const opener = findOpener(before, earlier)?.node
  return isFramed || replacesValue(below, after, text) || (opener !== undefined && showsNow(opener, text, after))
}

/** The intent that opened a window. */
const findOpener = (window: Screen, earlier: readonly Intent[]): Intent | undefined =>
  earlier.findLast((one) => one.after === window || (one.after && isSameKind(one.after, window)))

/** Whether the control around a node shows a text on a later screen. */
function showsNow(node: UiNode, text: string, screen: Screen): boolean {
  const control = [node, ...listAncestors(node)].find((one) => isTrue(one, 'clickable')) ?? node
  const now = findNode(screen, control.path)
  return now !== undefined && countShown({ ...screen, nodes: [...subtree(now)] }, text) > 0
}

/** Whether a text stands where the page showed another one before. */
function replacesValue(below: Screen, after: Screen, text: string): boolean {
  return after.nodes.some((node) => {
    const was = findNode(below, node.path)
    if (was === undefined || was.attributes['class'] !== node.attributes['class'] || readText(was) === '') return false
    if (was.bounds?.left !== node.bounds?.left || was.bounds?.top !== node.bounds?.top) return false
    return findShownValue(readText(node), text) !== undefined && findShownValue(readText(was), text) === undefined
  })
}

/** The page from which the window with the options was opened, if the tap led back to it. A window may be drawn on its page. */
function findPageBelow(
  { before, after }: Intent,
  members: readonly UiNode[],
  earlier: readonly Intent[],
): Screen | undefined {
  if (before === undefined || after === undefined) return undefined
  const below = findOpener(before, earlier)?.before
  if (below === undefined || !isSameKind(below, after) || wasFirst(before, below, earlier)) return undefined
  const isOnlyHere = !showsAny(below, members) && !showsAny(after, members)
  return isOnlyHere || !isSameKind(before, after) ? below : undefined
}

/** Whether a list was seen before the page: then the page was opened from it, and it is no window of the page. */
function wasFirst(list: Screen, page: Screen, earlier: readonly Intent[]): boolean {
  if (isSameKind(list, page)) return false
  const first = earlier
    .flatMap(({ before, after }) => [before, after])
    .find((screen) => screen !== undefined && (isSameKind(screen, list) || isSameKind(screen, page)))
  return first !== undefined && isSameKind(first, list)
}

/** Whether a screen has one of these nodes at its place. */
function showsAny(screen: Screen, members: readonly UiNode[]): boolean {
  return members.some((member) => {
    const now = findNode(screen, member.path)
    return now !== undefined && now.attributes['bounds'] === member.attributes['bounds']
  })
}

function countShown({ nodes }: Screen, text: string): number {
  return nodes.filter((node) => {
    const shown = findShownValue(readText(node), text)
    return shown === 'equal' || shown === 'part' || shown === 'word'
  }).length
}
