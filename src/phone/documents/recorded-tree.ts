import { z } from 'zod'
import { actionList } from './app-action.ts'
import { ExpressionText, NumberExpression, TemplateValue, TextTemplate, WritablePath } from './field-types.ts'
import { interactiveFields, Pixels } from './node-fields.ts'
import { parseXml, type XmlElement } from './xml.ts'

/** A node of a recorded UI tree, as `uiautomator dump` wrote it. */
export interface RecordedNode {
  readonly attributes: Readonly<Record<string, string>>
  readonly bounds: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }
  readonly children: readonly RecordedNode[]
}

/** The XML of `uiautomator dump`, as one string or as an array of lines. */
export const RecordedTree = z.union([z.string(), z.array(z.string())]).transform((source, context): RecordedNode => {
  try {
    return parseRecordedTree(Array.isArray(source) ? source.join('\n') : source)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    context.issues.push({ code: 'custom', message, input: source })
    return z.NEVER
  }
})

/** What a node of a recorded tree displays and does. */
export const TreeBinding = z.strictObject({
  ...interactiveFields,
  node: z.string().min(1),
  text: TextTemplate.optional(),
  description: TextTemplate.optional(),
  bounds: z
    .strictObject({ x: NumberExpression, y: NumberExpression, width: NumberExpression, height: NumberExpression })
    .optional(),
  bind: WritablePath.optional(),
  value: TemplateValue.optional(),
  hint: TextTemplate.optional(),
  multiline: z.boolean().optional(),
  max_length: z.number().int().positive().optional(),
  on_change: actionList().optional(),
  on_submit: actionList().optional(),
  on_end: actionList().optional(),
  each: z
    .strictObject({
      items: ExpressionText,
      where: ExpressionText.optional(),
      sort_by: ExpressionText.optional(),
      offset: Pixels.optional(),
      direction: z.enum(['vertical', 'horizontal']).optional(),
    })
    .optional(),
})
export type TreeBinding = z.infer<typeof TreeBinding>

function parseRecordedTree(xml: string): RecordedNode {
  if (!xml.trimStart().startsWith('<')) throw new Error('write the XML of a dump, or the name of a file that exists')
  const root = parseXml(xml)
  const top = root.tag === 'hierarchy' ? root.children.at(-1) : root
  if (top === undefined) throw new Error('the hierarchy has no node')
  return toRecordedNode(top)
}

function toRecordedNode({ tag, attributes, children }: XmlElement): RecordedNode {
  const numbers = (attributes['bounds'] ?? '').match(/-?\d+/g)?.map(Number) ?? []
  const [left, top, right, bottom] = numbers
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) {
    throw new Error(`the bounds of a ${attributes['class'] ?? tag} are missing; write them as [0,84][1080,2274]`)
  }
  return {
    attributes: { class: tag, ...attributes },
    bounds: { left, top, right, bottom },
    children: children.map(toRecordedNode),
  }
}

/** Finds the nodes of a selector: a path such as `/0/2/1`, or parts such as `Button[text=Save]`. Throws if it is invalid. */
export function findRecordedNodes(root: RecordedNode, selector: string): readonly RecordedNode[] {
  if (selector.startsWith('/')) {
    const steps = selector.split('/').slice(1)
    if (steps.some((step) => !/^\d+$/.test(step))) throw new Error(`"${selector}" is not a path such as /0/2/1`)
    const found = steps
      .slice(1)
      .reduce<RecordedNode | undefined>(
        (node, step) => node?.children[Number(step)],
        steps[0] === '0' ? root : undefined,
      )
    return found === undefined ? [] : [found]
  }
  const parts = selector.match(/(?:\[[^\]']*(?:'[^']*')?\]|\S)+/g) ?? []
  return parts.reduce<readonly RecordedNode[]>(
    (holders, part, index) => selectNodes(holders, part, index === 0),
    [root],
  )
}

const PART = /^(?<className>[\w.$*]+)?(?<tests>(?:\[[a-z-]+=(?:'[^']*'|[^\]']*)\])*)$/

function selectNodes(holders: readonly RecordedNode[], part: string, inclusive: boolean): readonly RecordedNode[] {
  const groups = PART.exec(part)?.groups
  if (groups === undefined) throw new Error(`"${part}" is not a selector such as Button[text=Save] or [id=title]`)
  const tests = [...(groups['tests'] ?? '').matchAll(/\[([a-z-]+)=(?:'([^']*)'|([^\]]*))\]/g)].map(
    ([, name = '', quoted, plain]) => [name, quoted ?? plain ?? ''] as const,
  )
  const className = groups['className'] ?? '*'
  const found = holders.flatMap((holder) =>
    [...walkNodes(holder, inclusive)].filter(
      ({ attributes }) =>
        matchesClass(attributes['class'] ?? '', className) &&
        tests.every(([name, value]) => name === 'nth' || matchesAttribute(attributes, name, value)),
    ),
  )
  const unique = [...new Set(found)]
  const nth = tests.find(([name]) => name === 'nth')
  return nth === undefined ? unique : unique.slice(Number(nth[1]), Number(nth[1]) + 1)
}

function matchesClass(actual: string, wanted: string): boolean {
  return wanted === '*' || actual === wanted || actual.endsWith(`.${wanted}`)
}

function matchesAttribute(attributes: RecordedNode['attributes'], name: string, value: string): boolean {
  if (name === 'id') {
    const id = attributes['resource-id'] ?? ''
    return id === value || id.endsWith(`:id/${value}`)
  }
  return (attributes[name === 'desc' ? 'content-desc' : name] ?? '') === value
}

function* walkNodes(node: RecordedNode, inclusive: boolean): Generator<RecordedNode> {
  if (inclusive) yield node
  for (const child of node.children) yield* walkNodes(child, true)
}

/** Explains why a selector does not name exactly one node. Undefined if it does. */
export function explainSelector(root: RecordedNode, selector: string): string | undefined {
  try {
    const { length } = findRecordedNodes(root, selector)
    if (length === 1) return undefined
    return length === 0
      ? `"${selector}" matches no node of the tree`
      : `"${selector}" matches ${length} nodes of the tree; add a test such as [text=Save] or [nth=0]`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const boundNodes = new WeakMap<object, ReadonlyMap<RecordedNode, TreeBinding>>()

/** The bindings of a tree by the node they are for. */
export function resolveBindings(
  tree: RecordedNode,
  bindings: readonly TreeBinding[],
): ReadonlyMap<RecordedNode, TreeBinding> {
  const known = boundNodes.get(bindings)
  if (known !== undefined) return known
  const resolved = new Map<RecordedNode, TreeBinding>()
  for (const binding of bindings) {
    const [node] = findRecordedNodes(tree, binding.node)
    if (node !== undefined) resolved.set(node, { ...resolved.get(node), ...binding })
  }
  boundNodes.set(bindings, resolved)
  return resolved
}
