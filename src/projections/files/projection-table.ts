import type { AdapterRules } from '../../domain/capture/adapters.ts'
import { abilityProjections } from './abilities.ts'
import { capabilityProjections } from './capabilities.ts'
import { categoryProjections } from './categories.ts'
import { checkpointProjections } from './checkpoints.ts'
import { connectorProjections } from './connectors.ts'
import { configurationProjections } from './configuration.ts'
import { ledgerProjections } from './ledger.ts'
import { miningProjections } from './mining.ts'
import type { Projection } from '../engine/projection.ts'
import { observationProjections } from './observations.ts'
import { proposalProjections } from './proposals.ts'
import { receiptProjections } from './receipts.ts'
import { runtimeProjections } from './runtime.ts'
import { sessionProjections } from './sessions.ts'
import { skillImportProjections } from './skill-imports.ts'
import { testPolicyProjections } from './test-policies.ts'
import { traceProjections } from './traces.ts'
import { validationProjections } from './validation.ts'

/** Lists all projections. A test compares this list with the table in memory-store/README.md. */
export const listProjections = (rules: AdapterRules): readonly Projection[] => [
  ...sessionProjections,
  ...runtimeProjections(rules),
  ...observationProjections,
  ...proposalProjections,
  ...testPolicyProjections,
  ...validationProjections,
  ...miningProjections,
  ...checkpointProjections,
  ...receiptProjections,
  ...ledgerProjections,
  ...traceProjections,
  ...capabilityProjections,
  ...abilityProjections,
  ...skillImportProjections,
  ...categoryProjections,
  ...configurationProjections,
  ...connectorProjections,
]
