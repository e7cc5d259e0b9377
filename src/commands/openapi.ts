import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { openApiDocument } from '@apprentice/contracts/openapi.ts'
import { openApiFile } from '../routes/docs.ts'
import { version } from '../config/version.ts'

export const formatOpenApi = (): string => `${JSON.stringify(openApiDocument(version), null, 2)}\n`

export function addOpenApiCommand(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--write', 'write it to openapi/openapi.json instead')
    .action(({ write }: { write?: boolean }) => {
      if (write === true) writeFileSync(openApiFile, formatOpenApi())
      else process.stdout.write(formatOpenApi())
    })
}
