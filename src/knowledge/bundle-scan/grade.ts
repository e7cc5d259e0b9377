import type { PortabilityGrade } from '@apprentice/contracts/skills/import-record.ts'
import type { Findings } from './findings.ts'

const order: readonly PortabilityGrade[] = [
  'direct',
  'adapter_required',
  'local_only',
  'non_portable',
]

/** How far the bundle travels: the gravest of what it says itself and what was found. */
export function gradeOf(findings: Findings, said: PortabilityGrade): PortabilityGrade {
  const found: PortabilityGrade[] = [
    said,
    ...(findings.requires_adapter ? (['adapter_required'] as const) : []),
    ...(findings.has('PLATFORM_UNSUPPORTED') ? (['local_only'] as const) : []),
    ...(findings.compatible ? [] : (['non_portable'] as const)),
  ]
  return order.findLast((grade) => found.includes(grade)) ?? 'direct'
}
