export interface UploadOptions {
  readonly filename?: string
  readonly type?: string
  readonly metadata?: object | string
  readonly token?: string
}

const BOUNDARY = 'form-boundary-7c1'

/** A multipart form as a browser sends it. */
export function buildForm(
  bundle: Buffer,
  { filename = 'tidy-notes.zip', type = 'application/zip', metadata }: UploadOptions = {},
): Buffer {
  const metadataText = typeof metadata === 'string' ? metadata : JSON.stringify(metadata)
  return Buffer.concat([
    ...(metadata === undefined
      ? []
      : [
          Buffer.from(
            `--${BOUNDARY}\r\ncontent-disposition: form-data; name="metadata"\r\ncontent-type: application/json\r\n\r\n${metadataText}\r\n`,
          ),
        ]),
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="bundle"; filename="${filename}"\r\ncontent-type: ${type}\r\n\r\n`,
    ),
    bundle,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`
