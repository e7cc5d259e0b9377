import { drawRuledTable, makePdf } from '../documents/make-pdf.ts'

/** A document with a sentence, an address and a table. */
export const makeOrder = (): Promise<Buffer> =>
  makePdf((pen) => {
    pen.write('Write to ada@example.com about the order.', 50, 50)
    drawRuledTable(pen, [
      ['Item', 'Count'],
      ['Blue pen', '12'],
    ])
  })
