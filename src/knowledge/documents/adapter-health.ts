import { AcrobatCapability, type AdapterHealth } from '@apprentice/contracts/documents/adapter.ts'
import type { HealthRecord } from '../connectors/connection-health.ts'
import { UNKNOWN_HEALTH } from '../connectors/connection-health.ts'

export const PROGRAM_NAMES = ['pdfinfo', 'pdftotext', 'pdftoppm', 'tesseract'] as const
export type ProgramName = (typeof PROGRAM_NAMES)[number]

/** Which programs were found, and when. */
export interface ProgramFacts {
  readonly missing: readonly ProgramName[]
  readonly ocr_languages: readonly string[]
  readonly checked_at: string
}

const NEEDED: Readonly<Record<AcrobatCapability, readonly ProgramName[]>> = {
  extract_text: ['pdfinfo', 'pdftotext'],
  extract_tables: ['pdfinfo', 'pdftotext', 'pdftoppm'],
  ocr: ['pdfinfo', 'pdftoppm', 'tesseract'],
  redaction_prep: ['pdfinfo', 'pdftotext'],
}

interface AdapterSettings {
  readonly enabled: boolean
  readonly supported_tools: readonly string[]
}

/** What the adapter can do with the programs that were found, and with what an administrator left switched on. */
export function describeAdapter(
  { enabled, supported_tools }: AdapterSettings,
  { missing, ocr_languages, checked_at }: ProgramFacts,
): AdapterHealth {
  const installed = AcrobatCapability.options.filter((one) => NEEDED[one].every((name) => !missing.includes(name)))
  const supported_capabilities = enabled ? installed.filter((one) => supported_tools.includes(one)) : []
  const facts = { supported_capabilities, last_checked_at: checked_at, ocr_languages: [...ocr_languages] }
  if (!enabled) return { adapter_state: 'disabled', reason_code: 'adapter_disabled', ...facts, schema_version: 1 }
  if (installed.length === 0) {
    return { adapter_state: 'missing', reason_code: 'adapter_missing', ...facts, schema_version: 1 }
  }
  if (supported_capabilities.length < AcrobatCapability.options.length) {
    const [first] = missing
    const reason_code = first === undefined ? 'capability_switched_off' : `${first}_missing`
    return { adapter_state: 'degraded', reason_code, ...facts, schema_version: 1 }
  }
  return { adapter_state: 'healthy', ...facts, schema_version: 1 }
}

/** The same as the health of a connector server. */
export function toServerHealth(health: AdapterHealth): HealthRecord {
  const { adapter_state, reason_code, supported_capabilities, last_checked_at } = health
  const isHealthy = adapter_state === 'healthy' || adapter_state === 'disabled'
  const describeTool = (name: AcrobatCapability) =>
    supported_capabilities.includes(name) ? { ok: true } : { ok: false, last_error: reason_code }
  return {
    ...UNKNOWN_HEALTH,
    health_status: isHealthy ? 'healthy' : 'degraded',
    health_reason_code: isHealthy ? undefined : reason_code,
    last_checked_at,
    tool_health: Object.fromEntries(AcrobatCapability.options.map((name) => [name, describeTool(name)])),
  }
}
