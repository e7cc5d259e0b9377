import { FUNCTION_NAMES } from './evaluation.ts'
import { walkExpression, type Expression } from './expression.ts'

export interface ReferenceFault {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The parts of a document that other parts refer to by name. */
export interface ReferenceSource {
  readonly default_locale: string
  readonly strings: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly saved: object
  readonly memory: object
  readonly launch_screen: string
  readonly screens: Readonly<Record<string, { readonly local: object }>>
  readonly dialogs: Readonly<Record<string, { readonly local: object }>>
  readonly components: object
  readonly procedures: object
}

/** Finds references to undeclared screens, dialogs, components, strings, state and functions. */
export function checkReferences(document: ReferenceSource): ReferenceFault[] {
  const faults: ReferenceFault[] = []
  if (!Object.hasOwn(document.screens, document.launch_screen)) {
    faults.push({
      path: ['launch_screen'],
      message: formatMissing(document, 'screen', document.launch_screen),
    })
  }
  for (const name of Object.keys(document.components)) {
    if (!containsItself(document.components, name)) continue
    faults.push({
      path: ['components', name],
      message: `component "${name}" contains itself; remove the "use" node that leads back to it`,
    })
  }
  for (const section of SECTIONS) {
    visit({ document, faults }, Reflect.get(document, section), [section])
  }
  return faults
}

const SECTIONS = ['strings', 'screens', 'dialogs', 'components', 'procedures', 'popups', 'timers']

function containsItself(components: object, name: string): boolean {
  const seen = new Set<string>()
  const queue = [name]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const used of listUsedComponents(Reflect.get(components, next))) {
      if (used === name) return true
      if (!seen.has(used)) queue.push(used)
      seen.add(used)
    }
  }
  return false
}

function listUsedComponents(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'type' in value && value.type === 'use' && 'component' in value ? [value.component] : []
  const inner = Object.values(value).flatMap(listUsedComponents)
  return [...own.filter((name) => typeof name === 'string'), ...inner]
}

interface Check {
  readonly document: ReferenceSource
  readonly faults: ReferenceFault[]
}

type ReferenceKind = 'screen' | 'dialog' | 'component' | 'procedure'

type Path = readonly PropertyKey[]

function visit(check: Check, value: unknown, path: Path): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) visit(check, entry, [...path, index])
    return
  }
  if (isExpression(value)) {
    checkExpression(check, value, path)
    return
  }
  if ('parts' in value && Array.isArray(value.parts)) {
    checkTemplate(check, value, path)
    for (const part of value.parts) visit(check, part, path)
    return
  }
  const fields = 'fields' in value && typeof value.fields === 'object' ? value.fields : undefined
  if (fields === undefined) checkNames(check, value, path)
  for (const [key, entry] of Object.entries(fields ?? value)) {
    if (key !== 'local' && key !== 'tree') visit(check, entry, [...path, key])
  }
}

function checkNames({ document, faults }: Check, holder: object, path: Path): void {
  const checkName = (key: ReferenceKind, known: object): void => {
    const name: unknown = Reflect.get(holder, key)
    if (typeof name === 'string' && !Object.hasOwn(known, name)) {
      faults.push({ path: [...path, key], message: formatMissing(document, key, name) })
    }
  }
  checkName('screen', document.screens)
  checkName('dialog', document.dialogs)
  checkName('component', document.components)
  checkName('procedure', document.procedures)
}

function checkTemplate({ document, faults }: Check, template: object, path: Path): void {
  const key: unknown = Reflect.get(template, 'key')
  if (typeof key === 'string' && !hasString(document, key)) {
    faults.push({ path, message: formatMissing(document, 'string', key) })
  }
}

const SCOPE_NAMES = new Set('saved memory local screen args device with item index it section dropped here'.split(' '))

function checkExpression(check: Check, expression: Expression, path: Path): void {
  for (const part of walkExpression(expression)) {
    const message = findFault(check.document, part, path)
    if (message !== undefined) check.faults.push({ path, message })
  }
}

function findFault(document: ReferenceSource, part: Expression, path: Path): string | undefined {
  if (part.kind === 'name' && !SCOPE_NAMES.has(part.name))
    return `unknown name "${part.name}"; use one of ${[...SCOPE_NAMES].join(', ')}`
  if (part.kind === 'call') {
    if (!FUNCTION_NAMES.has(part.name))
      return `unknown function "${part.name}"; use one of ${[...FUNCTION_NAMES].join(', ')}`
    const key = part.name === 't' ? part.args[0] : undefined
    const missing = key?.kind === 'literal' && !hasString(document, String(key.value))
    return missing ? formatMissing(document, 'string', String(key.value)) : undefined
  }
  if (part.kind !== 'member' || part.object.kind !== 'name') return undefined
  const declared = findDeclarations(document, part.object.name, path)
  if (declared === undefined || Object.hasOwn(declared, part.key)) return undefined
  return `"${part.object.name}.${part.key}" is not declared; add "${part.key}" to "${part.object.name}" or correct the name`
}

/** The declared keys of `saved`, `memory` or `local` at a path in the document. */
function findDeclarations(document: ReferenceSource, name: string, path: Path): object | undefined {
  if (name === 'saved') return document.saved
  if (name === 'memory') return document.memory
  if (name !== 'local') return undefined
  if (path[0] === 'screens') return document.screens[String(path[1])]?.local
  if (path[0] === 'dialogs') return document.dialogs[String(path[1])]?.local
  return undefined
}

function hasString(document: ReferenceSource, key: string): boolean {
  const strings = document.strings[document.default_locale]
  return strings !== undefined && Object.hasOwn(strings, key)
}

const EXPRESSION_KINDS = new Set('literal name member index unary binary choose call'.split(' '))

function isExpression(value: object): value is Expression {
  return 'kind' in value && typeof value.kind === 'string' && EXPRESSION_KINDS.has(value.kind)
}

function formatMissing(document: ReferenceSource, kind: ReferenceKind | 'string', name: string): string {
  const section = kind === 'string' ? `strings.${document.default_locale}` : `${kind}s`
  return `${kind} "${name}" is not declared; add it to "${section}" or correct the name`
}
