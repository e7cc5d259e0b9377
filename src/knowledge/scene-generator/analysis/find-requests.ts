import type { AnyNode } from 'acorn'
import type {
  SceneControl,
  SceneRequest,
  SceneRequestParameter,
  SceneValueSource,
} from '@apprentice/contracts/scenes/analysis.ts'
import { SCENARIO_LIMITS, type Uncertainties } from '../source/scenario.ts'
import type { Bindings } from '../script/bindings.ts'
import { locateNode } from '../script/read-script.ts'
import { listParts } from '../script/value-source.ts'
import { type RequestAddress, parseAddress } from './request-address.ts'
import { readSentValues, type SentValues } from './request-body.ts'
import { listRequestCalls, type RequestCall } from './request-calls.ts'

/** A request with the call that it was read from. */
export interface FoundRequest {
  readonly request: SceneRequest
  readonly call: RequestCall
}

const PAGE_NAMES = new Set(['page', 'pageno', 'pagenum', 'pageindex', 'currentpage', 'pagenumber', 'curpage'])
const PAGE_SIZE_NAMES = new Set(['pagesize', 'limit', 'rows', 'size', 'perpage', 'pagerows'])
const EXPORT_WORDS = ['export', 'download', '导出']

/** The controls of each form of the page, by the id of the form. */
export type FormControls = ReadonlyMap<string, readonly SceneControl[]>

export function findRequests(bindings: Bindings, forms: FormControls, uncertainties: Uncertainties): FoundRequest[] {
  const calls = listRequestCalls(bindings)
  if (calls.length > SCENARIO_LIMITS.requests) {
    uncertainties.add(
      'limit_reached',
      `The scripts have ${calls.length} requests; ${SCENARIO_LIMITS.requests} were read.`,
    )
  }
  return calls.slice(0, SCENARIO_LIMITS.requests).flatMap((call) => {
    const request = readRequest(bindings, call, { forms, uncertainties })
    return request === undefined ? [] : [{ request, call }]
  })
}

interface ReadDeps {
  readonly forms: FormControls
  readonly uncertainties: Uncertainties
}

function readRequest(bindings: Bindings, call: RequestCall, deps: ReadDeps): SceneRequest | undefined {
  const evidence = locateNode(call.unit, call.node)
  const address = readAddress(bindings, call)
  if (address === undefined) {
    const message = 'The address of this request is not in the scripts.'
    deps.uncertainties.add('url_not_constant', message, { evidence: [evidence], answer: 'request' })
    return undefined
  }
  const sent = readSent(bindings, call)
  const parameters: SceneRequestParameter[] = [
    ...address.values.map((value) => toParameter(value, evidence)),
    ...listFormParameters(sent, deps.forms, call),
    ...sent.query.values.map(({ evidence: at, ...value }) => toParameter({ ...value, in: 'query' }, at)),
    ...sent.body.values.map(({ evidence: at, ...value }) => toParameter({ ...value, in: 'body' }, at)),
    ...sent.headers.values.map(({ evidence: at, ...value }) => toParameter({ ...value, in: 'header' }, at)),
  ]
  return {
    api: call.api,
    method: call.method,
    url: address.url.slice(0, 2000),
    body: toBodyKind(call, sent.body),
    parameters: parameters.filter(({ name, in: place }) => name !== '' || place === 'body'),
    purpose: isExport(call, address) ? 'export' : 'data',
    evidence,
  }
}

function readAddress(bindings: Bindings, call: RequestCall): RequestAddress | undefined {
  const { unit, url, base } = call
  if (url === undefined) return undefined
  const parts = listParts(bindings, { unit, node: url })
  const [first] = parts
  // An address that starts with an unknown value may lead anywhere.
  if (first === undefined || (first.kind !== 'constant' && base === undefined)) return undefined
  const before = base === undefined ? [] : listParts(bindings, base)
  return parseAddress([...before, ...parts])
}

interface Sent {
  readonly query: SentValues
  readonly body: SentValues
  readonly headers: SentValues
}

function readSent(bindings: Bindings, call: RequestCall): Sent {
  const read = (node: AnyNode | undefined): SentValues =>
    readSentValues(bindings, node === undefined ? undefined : { unit: call.unit, node })
  const query = mergeSent(read(call.query), read(findSearchParams(call)))
  return { query, body: read(call.body), headers: read(call.headers) }
}

const mergeSent = (a: SentValues, b: SentValues): SentValues => ({
  body: a.body,
  values: [...a.values, ...b.values],
  forms: [...a.forms, ...b.forms],
})

/** `'/list?' + new URLSearchParams({ ... })` */
function findSearchParams({ unit, url }: RequestCall): AnyNode | undefined {
  if (url === undefined || url.type === 'Literal') return undefined
  return unit.nodes.find(
    (node) =>
      node.type === 'NewExpression' &&
      url.start <= node.start &&
      node.end <= url.end &&
      node.callee.type === 'Identifier' &&
      node.callee.name === 'URLSearchParams',
  )
}

function toParameter(
  { name, in: place, source }: { name: string; in: SceneRequestParameter['in']; source: SceneValueSource },
  evidence: SceneRequestParameter['evidence'],
): SceneRequestParameter {
  return { name: name.slice(0, 200), in: place, role: toRole(name), source, evidence }
}

function toRole(name: string): SceneRequestParameter['role'] {
  const word = name.toLowerCase().replaceAll('_', '')
  if (PAGE_NAMES.has(word)) return 'page'
  return PAGE_SIZE_NAMES.has(word) ? 'page_size' : 'value'
}

function listFormParameters(sent: Sent, forms: FormControls, { method }: RequestCall): SceneRequestParameter[] {
  const names = [...sent.query.forms, ...sent.body.forms]
  const place = method === 'GET' ? 'query' : 'body'
  return names
    .flatMap((name) => forms.get(name) ?? [])
    .map(({ key, evidence }) => ({
      name: key,
      in: place,
      role: toRole(key),
      source: { kind: 'control' as const, control: key },
      evidence,
    }))
}

function toBodyKind({ sends_json, api }: RequestCall, { body }: SentValues): SceneRequest['body'] {
  if (body !== 'json' || sends_json || api === 'fetch' || api === 'xhr') return body
  // jQuery and grids send an object as a form.
  return 'form'
}

const isExport = ({ is_download }: RequestCall, { url }: RequestAddress): boolean =>
  is_download || EXPORT_WORDS.some((word) => url.toLowerCase().includes(word))
