import type { LogLine } from '@apprentice/contracts/devices/checks.ts'
import type { NetworkEvidence } from '@apprentice/contracts/devices/verification.ts'

const URL_TEXT = /\bhttps?:\/\/[^\s"'<>)\]}]{1,2000}/i
const PATH_TEXT = /(?:^|[\s"'(=])(\/[\w.~%-]{1,200}(?:\/[\w.~%-]{1,200}){1,20})/
const METHOD = /\b(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b/
const STATUS = /\bHTTP\/\d(?:\.\d)?\s+([1-5]\d\d)\b|\b(?:status|response)(?:[ _-]?code)?\s*[:=]?\s*([1-5]\d\d)\b/i
const NEAR_STATUS = /(?:^|[\s(<[-])([1-5]\d\d)(?=$|[\s)>\],:;-])/
const ERROR = /\b(?:timeout|timed out|refused|unreachable|unknownhost|unable to resolve|failed|failure|exception)\b/i
/** The first folders of files on a phone. */
const FILE_ROOT =
  /^\/(?:data|system|apex|proc|dev|vendor|product|storage|sdcard|mnt|odm|cache|metadata|acct|sys)(?:\/|$)/
const FILE_ENDING = /\.(?:so|apk|dex|odex|vdex|jar|java|kt|class|bin|db|xml|png|webp|jpg|ttf)$/i
const MAX_REQUESTS = 200
const MAX_LINE = 4000

/** The requests that the log of a phone mentions. A log is a sign only: a request that it does not name may exist. */
export function extractNetworkSignals(lines: readonly Pick<LogLine, 'text'>[]): NetworkEvidence {
  return lines.flatMap(({ text }) => readRequest(text.slice(0, MAX_LINE)) ?? []).slice(0, MAX_REQUESTS)
}

function readRequest(line: string): NetworkEvidence[number] | undefined {
  const url = URL_TEXT.exec(line)?.[0]
  const path = url === undefined ? readPath(line) : undefined
  const endpoint = url ?? path
  const code = readStatus(line, endpoint)
  const isRequest = url !== undefined || (endpoint !== undefined && (code !== undefined || METHOD.test(line)))
  if (!isRequest || endpoint === undefined) return undefined
  return { endpoint: withoutQuery(endpoint), status: judge(code, line) }
}

function readPath(line: string): string | undefined {
  const path = PATH_TEXT.exec(line)?.[1]
  return path === undefined || FILE_ROOT.test(path) || FILE_ENDING.test(path) ? undefined : path
}

/** A labelled status, or three digits after the endpoint. */
function readStatus(line: string, endpoint: string | undefined): number | undefined {
  const labelled = STATUS.exec(line)
  const found = labelled?.[1] ?? labelled?.[2]
  if (found !== undefined) return Number(found)
  if (endpoint === undefined) return undefined
  const rest = line.slice(line.indexOf(endpoint) + endpoint.length)
  const near = NEAR_STATUS.exec(rest.slice(0, 40))?.[1]
  return near === undefined ? undefined : Number(near)
}

/** A server that is busy or broken for now may answer later. */
function judge(code: number | undefined, line: string): 'success' | 'failure' | 'retryable' | 'unknown' {
  if (code === undefined) return ERROR.test(line) ? 'failure' : 'unknown'
  if (code === 408 || code === 425 || code === 429 || code >= 500) return 'retryable'
  return code >= 400 ? 'failure' : 'success'
}

/** Queries may contain personal data. */
const withoutQuery = (endpoint: string): string => endpoint.split(/[?#]/)[0]?.slice(0, 500) ?? ''
