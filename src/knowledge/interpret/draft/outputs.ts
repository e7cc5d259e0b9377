import type { Recipe, RecipeOutput, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { findLabelBeside } from '../../../screen/structure/label-beside.ts'
import { inferCapabilities } from '../../recipes/lower/capabilities.ts'
import {
  findElement,
  findNamedEntry,
  type PointedElement,
  type PointedWorkflow,
  type WorkflowEnd,
} from '../prove/pointed-claims.ts'
import type { Intent } from '../read/intent.ts'
import { findNodes, type Place } from '../read/matching.ts'
import { listNames } from '../read/name-list.ts'
import { formatName, readText, resourceId, toSingular, toSlug } from '../read/node-text.ts'
import { type Entry, findIdentity, findRowAround, isDataRow, type Row } from '../read/rows.ts'
import { findScroller, isSameKind, readTitle, type Screen } from '../read/screen.ts'
import { locateEntry } from '../read/selectors.ts'
import { isStructuralText } from '../read/structural-text.ts'
import { locateColumn } from './output-columns.ts'
import type { RecipeDraft, RecipeParts } from './recipe-draft.ts'
import { makeUniqueId } from './recipe-steps.ts'
import { locateList, LONG_SEARCH } from './step-bodies.ts'
import type { LearnedVerification, OutputMark } from './workflow.ts'

/** A value that a run returns: how it is read, and on which screen. */
export interface LocatedOutput extends PointedElement {
  readonly mark: OutputMark
  readonly name: string
  /** Undefined if nothing tells the element apart. */
  readonly place: Place | undefined
  /** The list entry that it belongs to. */
  readonly entry: Entry | undefined
}

/**
 * Finds the elements whose values the person wants returned. A value in a row of data belongs to the entry that an
 * input names; if no step chose an entry, the entry becomes an input.
 */
export function locateOutputs(marks: readonly OutputMark[], workflow: PointedWorkflow): LocatedOutput[] {
  const taken = new Set<string>()
  return marks.flatMap((mark) => {
    const found = findElement(mark, workflow)
    if (found === undefined) return []
    const node = findShownText(found.node)
    const row = findRowAround(node)
    const name = makeUniqueId(mark.name ?? nameOutput(node, found.screen, row), taken)
    const element = { ...found, node, mark, name }
    if (mark.value_type === 'list' || mark.value_type === 'column') {
      const place = row && locateColumn(node, row, found.screen)
      return [{ ...element, place, entry: undefined }]
    }
    const entry = row !== undefined && isDataRow(row) ? bindEntry(row, element, workflow) : undefined
    const places = workflow.listPlaces(node, found.screen, entry)
    return [{ ...element, entry, place: places.find((place) => !namesValue(place, node)) }]
  })
}

/** Values may be shown after the found end. The way to them then belongs to the workflow. */
export function includeOutputs(found: WorkflowEnd, outputs: readonly LocatedOutput[]): WorkflowEnd {
  const length = Math.max(0, ...outputs.map(({ at }) => at + 1))
  return length > found.length ? { length, proof: undefined } : found
}

/** A row or card is read by the first text inside it. */
function findShownText(node: UiNode): UiNode {
  return readText(node) === '' ? (listCells(node)[0]?.node ?? node) : node
}

/** The label beside the value or its id. The value itself is never a name. */
function nameOutput(node: UiNode, screen: Screen, row: Row | undefined): string {
  const beside = row === undefined ? findLabelBeside(node, screen.nodes) : ''
  const id = resourceId(node)
  const names = [isStructuralText(beside) ? beside : '', id.slice(id.lastIndexOf('/') + 1)]
  return names.map(toSlug).find((name) => name !== '') ?? 'value'
}

/** A selector with the value itself would find only this value. */
function namesValue({ selector, container }: Place, node: UiNode): boolean {
  const texts = [attribute(node, 'text'), attribute(node, 'content-desc')].map((text) => text.trim())
  const used = JSON.stringify([selector, container])
  return texts.some((text) => text !== '' && used.includes(JSON.stringify(text).slice(1, -1)))
}

function bindEntry(
  row: Row,
  { screen, mark }: PointedElement & { mark: OutputMark },
  { inputs }: PointedWorkflow,
): Entry {
  const named = findNamedEntry(row.node, inputs.all)
  if (named !== undefined) return named
  const cell = findIdentity(row) ?? { node: row.node, text: readText(row.node) }
  const title = toSingular(toSlug(readTitle(screen)))
  const input = inputs.add({
    proposed_name: inputs.chooseName(listNames([title, 'entry'], toSlug), cell.text).name,
    type: 'string',
    summary: 'Which entry, by its name in the list',
    example: cell.text,
    source_event_ids: [mark.event_id],
  })
  return { row, cell, input: input.name }
}

export interface DraftWithOutputs extends RecipeDraft {
  readonly outputs: readonly RecipeOutput[]
  /** Reading a value at the right place is the outcome, so nothing else must show it. */
  readonly is_proved_by_reading: boolean
}

/** Adds the steps that read the values, after the steps that lead to their screens. */
export function addOutputs(
  draft: RecipeDraft,
  located: readonly LocatedOutput[],
  { intents, steps }: Pick<RecipeParts, 'intents' | 'steps'>,
): DraftWithOutputs {
  const { recipe } = draft
  const readable = located.filter(({ place }) => place !== undefined)
  const notes = located
    .filter(({ place }) => place === undefined)
    .map(({ name }) => `A run cannot return ${formatName(name)}: nothing tells it apart from the rest of the screen`)
  const unchanged = { ...draft, notes: [...draft.notes, ...notes], outputs: [], is_proved_by_reading: false }
  if (recipe === undefined || readable.length === 0) return unchanged
  const taken = new Set(recipe.steps.map(({ id }) => id))
  const reads = readable.map((output) => ({ output, ...draftReading(output, taken) }))
  const extended = insertReadings(recipe.steps, reads, steps)
  const outputs = reads.map(({ output, id }) => toRecipeOutput(output, id))
  const proofs = draft.verification.length > 0 ? [] : proveByReading(readable, intents)
  return {
    ...unchanged,
    recipe: withOutputs(recipe, { steps: extended, outputs, proofs }),
    verification: [...draft.verification, ...proofs],
    outputs,
    is_proved_by_reading: proofs.length > 0,
  }
}

type Reading = ReturnType<typeof draftReading> & { readonly output: LocatedOutput }

/** Inserts each reading after the steps that lead to its screen. A step that skips the rest goes on with a reading. */
function insertReadings(
  recipeSteps: readonly RecipeStep[],
  reads: readonly Reading[],
  learned: RecipeParts['steps'],
): RecipeStep[] {
  const added = new Set(reads.flatMap((read) => read.added))
  const steps = reads.reduce<RecipeStep[]>(
    (all, { output, added: own }) => {
      const last = output.at < 0 ? undefined : learned[output.at]?.recipe_steps.at(-1)?.id
      let at = last === undefined ? 0 : all.findIndex(({ id }) => id === last) + 1
      // Values of one screen are read in the order of the marks.
      while (at < all.length && added.has(all[at] as RecipeStep)) at += 1
      return all.toSpliced(at, 0, ...own)
    },
    [...recipeSteps],
  )
  return steps.map((step, at) => {
    if (step.params?.['skipTo'] === undefined) return step
    const next = steps.slice(at + 1).find((one) => added.has(one))
    return next === undefined ? step : { ...step, params: { ...step.params, skipTo: next.id } }
  })
}

/** A run that skips its steps would return nothing. */
function withOutputs(
  { skip_if_done: _, ...recipe }: Recipe,
  parts: {
    readonly steps: RecipeStep[]
    readonly outputs: RecipeOutput[]
    readonly proofs: readonly LearnedVerification[]
  },
): Recipe {
  const { steps, outputs, proofs } = parts
  const checks = proofs.map(({ text: _text, inputs: _inputs, proved_by: _by, ...check }) => check)
  const verification = [...(recipe.verification ?? []), ...checks]
  const extended = { ...recipe, steps, outputs, verification }
  const capabilities = [...new Set([...recipe.capabilities, ...inferCapabilities(extended)])]
  return { ...extended, capabilities }
}

function draftReading(
  { name, place, entry, screen, mark }: LocatedOutput,
  taken: Set<string>,
): { readonly id: string; readonly added: RecipeStep[] } {
  const scroller = entry && (entry.row.group.scroller ?? findScroller(entry.row.node))
  const search: RecipeStep[] =
    entry === undefined || scroller === undefined
      ? []
      : [
          {
            id: makeUniqueId(`find_for_${name}`, taken),
            type: 'scroll_until',
            selector: locateEntry(entry).selector,
            ...locateList(scroller, screen),
            params: { direction: 'down', bothWays: true, ...LONG_SEARCH, clickAfter: false },
          },
        ]
  const id = makeUniqueId(`read_${name}`, taken)
  const isMany = mark.value_type === 'list' || mark.value_type === 'column'
  const reading: RecipeStep = {
    id,
    type: 'read_text',
    ...(place !== undefined && { selector: place.selector }),
    ...(place?.container !== undefined && { container: place.container }),
    params: isMany ? { all: true } : { strict: true },
  }
  return { id, added: [...search, reading] }
}

const OUTPUT_TYPES = { text: 'string', number: 'number', list: 'list', column: 'list' } as const

/** The person asked for the value, so it is returned as it is. */
function toRecipeOutput({ name, mark }: LocatedOutput, from: string): RecipeOutput {
  return { name, type: OUTPUT_TYPES[mark.value_type], redaction: 'none', from }
}

/** A workflow that only reads has reached its outcome where the value is shown. */
function proveByReading(outputs: readonly LocatedOutput[], intents: readonly Intent[]): LearnedVerification[] {
  const last = outputs.findLast(({ at }) => at >= intents.length - 1)
  if (last === undefined || last.place === undefined) return []
  if (!intents.every(isNavigation) && !isNewOn(last, intents)) return []
  const { name, place, entry, mark, screen } = last
  const names = entry === undefined ? [] : [entry.input]
  return [
    {
      id: `shows_${name}`,
      selector: place.selector,
      ...(place.container !== undefined && { container: place.container }),
      annotation: names.length > 0 ? 'VARIABLE' : 'STRUCTURAL',
      text: `The ${formatName(name)} is shown${entry === undefined ? '' : ` for the given ${formatName(entry.input)}`}`,
      inputs: names,
      proved_by: { trace_id: intents.at(-1)?.trace_id ?? '', event_id: mark.event_id },
      timeout_ms: screen.is_loading ? LONG_TIMEOUT_MS : TIMEOUT_MS,
    },
  ]
}

const TIMEOUT_MS = 10_000
const LONG_TIMEOUT_MS = 20_000

/** Whether an intent only leads to another screen. */
function isNavigation({ kind, before, after }: Intent): boolean {
  if (['open_app', 'scroll', 'choose', 'key'].includes(kind)) return true
  return kind === 'press' && before !== undefined && after !== undefined && !isSameKind(before, after)
}

/** Whether no screen before the last action shows the element. */
function isNewOn({ place }: LocatedOutput, intents: readonly Intent[]): boolean {
  if (place === undefined) return false
  return intents
    .flatMap(({ before }) => before ?? [])
    .every((screen) => findNodes(screen, place, new Map()).length === 0)
}
