import type { AnyNode, Pattern } from 'acorn'
import { contains, type FunctionNode, isFunction, readPath, readPropertyName } from './node-shape.ts'
import type { ScriptUnit } from './read-script.ts'

/** A name that a script declares. */
export interface Binding {
  readonly name: string
  readonly unit: ScriptUnit
  readonly scope: AnyNode
  /** All values that it gets, at its declaration and later. */
  readonly values: AnyNode[]
  /** The keys that lead to it if it is taken from an object: `const { data } = answer`. */
  readonly keys: readonly string[]
  readonly parameter?: { readonly of: FunctionNode; readonly at: number }
}

export interface Place {
  readonly unit: ScriptUnit
  readonly node: AnyNode
}

/** The names of all scripts of a scenario. Scripts of one page share their global names. */
export class Bindings {
  readonly units: readonly ScriptUnit[]
  readonly #all: Binding[] = []
  readonly #byUnit = new Map<ScriptUnit, Binding[]>()
  /** The names that functions are assigned to. */
  readonly #functionNames = new Map<AnyNode, string>()
  readonly #byName = new Map<string, Binding[]>()
  readonly #calls = new Map<string, Place[]>()
  readonly #memberValues = new Map<string, Place[]>()

  constructor(units: readonly ScriptUnit[]) {
    this.units = units
    for (const unit of units) this.#declareAll(unit)
    for (const unit of units) this.#noteUses(unit)
  }

  /** The declaration that a name refers to at a place. */
  find(name: string, { unit, node }: Place): Binding | undefined {
    const known = this.#byName.get(name) ?? []
    const near = known.filter((one) => one.unit === unit && contains(one.scope, node))
    if (near.length > 0)
      return near.reduce((a, b) => (b.scope.end - b.scope.start < a.scope.end - a.scope.start ? b : a))
    const global = known.filter((one) => one.scope === one.unit.program)
    return global.length === 1 ? global[0] : undefined
  }

  list(): readonly Binding[] {
    return this.#all
  }

  listOf(unit: ScriptUnit): readonly Binding[] {
    return this.#byUnit.get(unit) ?? []
  }

  /** The only value that a name ever has. */
  findValue(name: string, place: Place): Place | undefined {
    const binding = this.find(name, place)
    return binding === undefined || binding.keys.length > 0 ? undefined : this.findOnlyValue(binding)
  }

  /** The value that a name is taken from. */
  findOnlyValue(binding: Binding): Place | undefined {
    if (binding.parameter !== undefined && binding.values.length === 0) return this.#findArgument(binding)
    const [value, ...more] = binding.values
    return value === undefined || more.length > 0 ? undefined : { unit: binding.unit, node: value }
  }

  /** Values assigned to members such as `query.orgNo`. */
  listMemberValues(path: readonly string[]): readonly Place[] {
    return this.#memberValues.get(path.join('.')) ?? []
  }

  /** The argument of the only call of a function that has a name. */
  #findArgument({ parameter }: Binding): Place | undefined {
    if (parameter === undefined) return undefined
    const name = this.#functionNames.get(parameter.of)
    const [call, ...more] = name === undefined ? [] : (this.#calls.get(name) ?? [])
    if (call?.node.type !== 'CallExpression' || more.length > 0) return undefined
    const given = call.node.arguments[parameter.at]
    return given === undefined ? undefined : { unit: call.unit, node: given }
  }

  #declareAll(unit: ScriptUnit): void {
    const scopes: AnyNode[] = unit.nodes.filter((node) => isFunction(node) || isBlock(node))
    for (const node of unit.nodes) {
      if (node.type === 'VariableDeclaration') {
        const scope = findScope(unit, scopes, { node, isVar: node.kind === 'var' })
        for (const { id, init } of node.declarations) this.#declarePattern(unit, scope, { pattern: id, value: init })
      } else if (isFunction(node)) {
        this.#declareFunction(unit, node, scopes)
      }
    }
  }

  #declareFunction(unit: ScriptUnit, node: FunctionNode, scopes: readonly AnyNode[]): void {
    if (node.type === 'FunctionDeclaration' && node.id !== null) {
      const scope = findScope(unit, scopes, { node, isVar: false })
      this.#add({ name: node.id.name, unit, scope, values: [node], keys: [] })
    }
    node.params.forEach((pattern, at) =>
      this.#declarePattern(unit, node, { pattern, value: undefined, parameter: { of: node, at } }),
    )
  }

  #declarePattern(unit: ScriptUnit, scope: AnyNode, given: DeclaredPattern): void {
    const { pattern, value, keys = [], parameter } = given
    if (pattern.type === 'Identifier') {
      const values = value === undefined || value === null ? [] : [value]
      this.#add({ name: pattern.name, unit, scope, values, keys, ...(parameter && { parameter }) })
    } else if (pattern.type === 'AssignmentPattern') {
      this.#declarePattern(unit, scope, { ...given, pattern: pattern.left })
    } else if (pattern.type === 'ObjectPattern') {
      for (const property of pattern.properties) {
        if (property.type !== 'Property') continue
        const key = readPropertyName(property) ?? '?'
        this.#declarePattern(unit, scope, { ...given, pattern: property.value, keys: [...keys, key] })
      }
    }
  }

  #add(binding: Binding): void {
    this.#all.push(binding)
    append(this.#byUnit, binding.unit, binding)
    for (const value of binding.values) if (isFunction(value)) this.#functionNames.set(value, binding.name)
    append(this.#byName, binding.name, binding)
  }

  #noteUses(unit: ScriptUnit): void {
    for (const node of unit.nodes) {
      if (node.type === 'CallExpression' && node.callee.type === 'Identifier') {
        append(this.#calls, node.callee.name, { unit, node })
      } else if (node.type === 'AssignmentExpression') {
        this.#noteAssignment(unit, node.left, node)
      } else if (node.type === 'UpdateExpression' && node.argument.type === 'Identifier') {
        this.find(node.argument.name, { unit, node })?.values.push(node)
      }
    }
  }

  #noteAssignment(unit: ScriptUnit, left: AnyNode, node: Extract<AnyNode, { type: 'AssignmentExpression' }>): void {
    const value = node.operator === '=' ? node.right : node
    if (left.type === 'Identifier') this.find(left.name, { unit, node })?.values.push(value)
    if (left.type === 'Identifier' && isFunction(value)) this.#functionNames.set(value, left.name)
    const path = left.type === 'MemberExpression' ? readPath(left) : undefined
    if (path !== undefined) append(this.#memberValues, path.join('.'), { unit, node: value })
  }
}

interface DeclaredPattern {
  readonly pattern: Pattern
  readonly value: AnyNode | null | undefined
  readonly keys?: readonly string[]
  readonly parameter?: Binding['parameter']
}

const isBlock = ({ type }: AnyNode): boolean =>
  ['BlockStatement', 'ForStatement', 'ForOfStatement', 'ForInStatement'].includes(type)

/** The innermost function around a node, or block for a name that is not declared with `var`. */
function findScope(
  unit: ScriptUnit,
  scopes: readonly AnyNode[],
  { node, isVar }: { readonly node: AnyNode; readonly isVar: boolean },
): AnyNode {
  const around = scopes.filter((one) => one !== node && contains(one, node) && (!isVar || isFunction(one)))
  // Nodes are in the order of the text: the last one that contains the node is the innermost.
  return around.at(-1) ?? unit.program
}

function append<K, T>(map: Map<K, T[]>, key: K, value: T): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}
