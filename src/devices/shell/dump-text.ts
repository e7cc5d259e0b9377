import type { CommandResult } from './command-stream.ts'

/** A screen as XML, or the reason of the failure. A failed dump is not an empty screen. */
export type UiDump =
  | { readonly outcome: 'ok'; readonly xml: string }
  | { readonly outcome: 'failed'; readonly kind: UiDumpFailureKind; readonly text: string }

export type UiDumpFailureKind =
  /** The screen kept changing: video, spinner, countdown. */
  | 'not_idle'
  /** No active window: screen off, app switch, boot. */
  | 'null_root'
  /** Another UiAutomation client (a test tool, another daemon) holds the device. */
  | 'other_client'
  | 'killed'
  /** Ended without output, as happens while the screen changes. */
  | 'crashed'
  /** The XML is incomplete. */
  | 'truncated'
  | 'unreadable'

/**
 * Parses the output of the dump command and the dump file. The tool reports most failures with exit code
 * 0, on either stream, and vendors print warnings around the XML.
 */
export function parseDumpOutput({ stdout, stderr, exitCode }: CommandResult): UiDump {
  const output = stdout.toString('utf8')
  const start = XML_START.exec(output)?.index ?? -1
  const close = output.lastIndexOf(XML_END)
  const hasXml = start >= 0 && close > start
  const xml = hasXml ? output.slice(start, close + XML_END.length) : undefined
  // Text such as ERROR inside the XML belongs to the screen, not to the tool.
  const around = start < 0 ? output : output.slice(0, start) + (hasXml ? output.slice(close) : '')
  const messages = `${around.replace(XML_END, '')}\n${stderr.toString('utf8')}`.trim()
  const kind = classifyFailure(messages, exitCode)
  if (kind) return toFailedDump(kind, messages)
  if (xml !== undefined) return { outcome: 'ok', xml }
  if (start >= 0) return toFailedDump('truncated', messages)
  return toFailedDump(removeNoise(messages) === '' ? 'crashed' : 'unreadable', messages)
}

const XML_START = /<\?xml|<hierarchy[\s>]/
const XML_END = '</hierarchy>'

const FAILURE_PATTERNS: readonly (readonly [RegExp, UiDumpFailureKind])[] = [
  [/could not get idle state/i, 'not_idle'],
  [/null root node/i, 'null_root'],
  [/already registered|UiAutomation not connected|UiAutomationService/i, 'other_client'],
  [/^Killed\b/m, 'killed'],
  [/^ERROR:|Exception\b/m, 'unreadable'],
]

function classifyFailure(messages: string, exitCode: number): UiDumpFailureKind | undefined {
  const kind = FAILURE_PATTERNS.find(([pattern]) => pattern.test(messages))?.[1]
  return kind ?? (exitCode === KILLED_EXIT_CODE ? 'killed' : undefined)
}

const KILLED_EXIT_CODE = 137

/** The output without lines that carry no information. */
function removeNoise(messages: string): string {
  return messages
    .split('\n')
    .filter((line) => !/UI hierchary dumped to|No such file or directory/.test(line))
    .join('')
    .trim()
}

function toFailedDump(kind: UiDumpFailureKind, text: string): UiDump {
  return { outcome: 'failed', kind, text: text.slice(0, MAX_TEXT_LENGTH) }
}

const MAX_TEXT_LENGTH = 2000
