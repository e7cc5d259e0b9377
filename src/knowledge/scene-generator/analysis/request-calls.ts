import type { AnyNode, CallExpression } from 'acorn'
import type { SceneRequest } from '@apprentice/contracts/scenes/analysis.ts'
import type { Bindings, Place } from '../script/bindings.ts'
import { findProperty, readLiteral, readMethod, readPath } from '../script/node-shape.ts'
import type { ScriptUnit } from '../script/read-script.ts'

/** A call that sends a request, before its values are read. */
export interface RequestCall {
  readonly api: SceneRequest['api']
  readonly unit: ScriptUnit
  readonly node: AnyNode
  readonly method: string
  readonly url: AnyNode | undefined
  /** Text before the address, from a setting of the library. */
  readonly base?: Place | undefined
  readonly query?: AnyNode | undefined
  readonly body?: AnyNode | undefined
  readonly headers?: AnyNode | undefined
  readonly is_download: boolean
  /** The body is sent as JSON if the library gets an object. */
  readonly sends_json: boolean
  readonly success?: AnyNode | undefined
  /** The object that gets the answer, if it is not the call. */
  readonly answer?: AnyNode | undefined
}

/** All requests of the scripts, in the order of the text. */
export const listRequestCalls = (bindings: Bindings): RequestCall[] =>
  bindings.units.flatMap((unit) => unit.nodes.flatMap((node) => readRequestCall(bindings, { unit, node })))

function readRequestCall(bindings: Bindings, place: Place): RequestCall[] {
  const { node } = place
  if (node.type === 'ObjectExpression') return readGridOptions(bindings, place)
  if (node.type !== 'CallExpression') return []
  const path = readPath(node.callee) ?? []
  const [root = '', name = ''] = path[0] === 'window' ? path.slice(1) : path
  if (root === 'fetch' && name === '') return [readFetch(bindings, place, node)]
  if ((root === '$' || root === 'jQuery') && path.length > 1) return readJquery(bindings, place, { call: node, name })
  const base = findAxiosBase(bindings, place, root)
  if (base !== undefined) return readAxios(bindings, place, { call: node, name, base: base.url })
  return readXhr(bindings, place, node)
}

const followObject = (bindings: Bindings, place: Place, node: AnyNode | undefined): Place | undefined => {
  if (node?.type !== 'Identifier') return node === undefined ? undefined : { ...place, node }
  return bindings.findValue(node.name, place)
}

function readFetch(bindings: Bindings, place: Place, call: CallExpression): RequestCall {
  const [url, given] = call.arguments
  const options = followObject(bindings, place, given)?.node
  return {
    ...place,
    api: 'fetch',
    method: (readLiteral(findProperty(options, 'method')) ?? 'GET').toUpperCase(),
    url,
    body: findProperty(options, 'body'),
    headers: findProperty(options, 'headers'),
    is_download: false,
    sends_json: false,
  }
}

const JQUERY_METHODS: Readonly<Record<string, string>> = { get: 'GET', getJSON: 'GET', post: 'POST' }

function readJquery(
  bindings: Bindings,
  place: Place,
  { call, name }: { readonly call: CallExpression; readonly name: string },
): RequestCall[] {
  const [first, second, third] = call.arguments
  const common = { ...place, api: 'jquery' as const, is_download: false, sends_json: false }
  if (name === 'ajax') {
    const options = followObject(bindings, place, first)?.node
    const method = readLiteral(findProperty(options, 'method', 'type'))?.toUpperCase() ?? 'GET'
    const data = findProperty(options, 'data')
    const sent = method === 'GET' ? { query: data } : { body: data }
    const [url, headers, success] = ['url', 'headers', 'success'].map((key) => findProperty(options, key))
    return [{ ...common, method, url, headers, success, ...sent }]
  }
  const method = JQUERY_METHODS[name]
  if (method === undefined) return []
  const hasData =
    second !== undefined && second.type !== 'FunctionExpression' && second.type !== 'ArrowFunctionExpression'
  const data = hasData ? second : undefined
  const sent = method === 'GET' ? { query: data } : { body: data }
  return [{ ...common, method, url: first, ...sent, success: hasData ? third : second }]
}

/** The settings of axios itself, or of an instance that the script created. */
function findAxiosBase(bindings: Bindings, place: Place, root: string): { url?: Place } | undefined {
  if (root === 'axios') {
    const [base] = bindings.listMemberValues(['axios', 'defaults', 'baseURL'])
    return base === undefined ? {} : { url: base }
  }
  const value = root === '' ? undefined : bindings.findValue(root, place)
  if (value?.node.type !== 'CallExpression') return undefined
  if (readPath(value.node.callee)?.join('.') !== 'axios.create') return undefined
  const url = findProperty(value.node.arguments[0], 'baseURL')
  return url === undefined ? {} : { url: { unit: value.unit, node: url } }
}

const AXIOS_METHODS = new Set(['get', 'delete', 'head', 'post', 'put', 'patch'])

function readAxios(
  bindings: Bindings,
  place: Place,
  { call, name, base }: { readonly call: CallExpression; readonly name: string; readonly base: Place | undefined },
): RequestCall[] {
  const [first, second, third] = call.arguments
  const common = { ...place, api: 'axios' as const, sends_json: true, base }
  const isDownload = (options: AnyNode | undefined): boolean =>
    readLiteral(findProperty(options, 'responseType')) === 'blob'
  if (name === '' || name === 'request') {
    const options = followObject(bindings, place, first)?.node
    if (options?.type !== 'ObjectExpression') return []
    const [url, query, body, headers] = ['url', 'params', 'data', 'headers'].map((key) => findProperty(options, key))
    const method = (readLiteral(findProperty(options, 'method')) ?? 'GET').toUpperCase()
    return [{ ...common, method, url, query, body, headers, is_download: isDownload(options) }]
  }
  if (!AXIOS_METHODS.has(name)) return []
  const sendsBody = ['post', 'put', 'patch'].includes(name)
  const options = followObject(bindings, place, sendsBody ? third : second)?.node
  const [query, headers] = ['params', 'headers'].map((key) => findProperty(options, key))
  const body = sendsBody ? second : undefined
  return [{ ...common, method: name.toUpperCase(), url: first, query, body, headers, is_download: isDownload(options) }]
}

/** `request.open(method, url)` and the `send` of the same object. */
function readXhr(bindings: Bindings, place: Place, call: CallExpression): RequestCall[] {
  const method = readMethod(call)
  if (method?.name !== 'open' || method.object.type !== 'Identifier') return []
  const { unit } = place
  const value = bindings.findValue(method.object.name, place)
  if (value?.node.type !== 'NewExpression' || readPath(value.node.callee)?.at(-1) !== 'XMLHttpRequest') return []
  const [verb, url] = call.arguments
  const binding = bindings.find(method.object.name, place)
  const send = unit.nodes.find((node) => {
    const sent = readMethod(node)
    if (sent?.name !== 'send' || sent.object.type !== 'Identifier') return false
    return bindings.find(sent.object.name, { unit, node: sent.object }) === binding
  })
  const body = send?.type === 'CallExpression' ? send.arguments[0] : undefined
  const name = (readLiteral(verb) ?? 'GET').toUpperCase()
  const answer = value.node
  return [{ ...place, api: 'xhr', method: name, url, body, is_download: false, sends_json: false, answer }]
}

const COLUMN_KEYS = ['columns', 'cols', 'colModel', 'columnDefs']

/** Options of a grid that loads its rows itself. */
function readGridOptions(bindings: Bindings, place: Place): RequestCall[] {
  const { node } = place
  const url = findProperty(node, 'url', 'ajax')
  if (url === undefined || findProperty(node, ...COLUMN_KEYS) === undefined) return []
  const method = (readLiteral(findProperty(node, 'method', 'mtype')) ?? 'GET').toUpperCase()
  const given = findProperty(node, 'where', 'queryParams', 'postData')
  const data = followObject(bindings, place, given)?.node
  const sent = method === 'GET' ? { query: data } : { body: data }
  const sends_json = readLiteral(findProperty(node, 'contentType'))?.startsWith('application/json') ?? false
  return [{ ...place, api: 'grid', method, url, ...sent, is_download: false, sends_json }]
}
