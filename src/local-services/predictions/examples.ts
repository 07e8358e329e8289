/** Example bodies for the OpenAPI document; a test sends each. */

const TOKEN = 'choose-your-own-secret';

export const SEQUENCE_EXAMPLE = {
  token: TOKEN,
  predictor_type: 'dynamine,disomine',
  sequence: '>trp_cage\nNLYIQWLKDGGPSSGRPPPS\n',
  job_name: 'trp-cage',
};

export const ALIGNMENT_EXAMPLE = {
  token: TOKEN,
  msa_data: '>one\nNLYIQWLKDGGPSSGRPPPS\n>two\nNLYIQWLKDGG-SSGRPPPS\n',
};

export const SHIFTS_EXAMPLE = {
  token: TOKEN,
  chemical_shifts: `data_example
save_nef_molecular_system
   loop_
      _nef_sequence.index
      _nef_sequence.chain_code
      _nef_sequence.sequence_code
      _nef_sequence.residue_name
      1 A 1 MET
      2 A 2 LYS
   stop_
save_
`,
  model_class: '1',
  original_numbering: true,
};
