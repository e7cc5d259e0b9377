import type { CommandContext } from '../../src/domain/command/context.ts'
import { saveImport } from '../../src/domain/skill-import/record/import-record.ts'
import { beginUpload } from '../../src/domain/skill-import/record/uploads.ts'
import { findImport } from '../../src/store/skill-import/skill-imports.ts'

/** Adds an import with a scan report. */
export function addImport(ctx: CommandContext): void {
  const filename = 'tidy-notes.zip'
  const import_id = beginUpload(ctx, { temp_artifact_ref: ctx.newId(), filename })
  const row = findImport(ctx.tx, import_id)
  if (row === undefined) throw new Error('no import')
  const report = {
    compatible: true,
    requires_adapter: false,
    rule_version: '1',
    findings: [],
    schema_version: 1 as const,
  }
  saveImport(ctx, row, { report })
}
