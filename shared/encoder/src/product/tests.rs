use super::*;

/// The largest bytes and numbers, and others.
#[test]
fn sums_are_exact_on_this_processor() {
    let columns = 3 * STEP;
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 25
    };
    let mut inputs: Vec<u8> = (0..4 * columns).map(|_| random() as u8).collect();
    inputs[..columns].fill(127);
    let mut matrix: Vec<i8> = (0..8 * columns).map(|_| (random() % 63) as i8 - 31).collect();
    matrix[..columns].fill(31);
    matrix[columns..2 * columns].fill(-31);
    let exact: Vec<i32> = inputs
        .chunks_exact(columns)
        .flat_map(|input| {
            matrix.chunks_exact(columns).map(move |row| {
                input.iter().zip(row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>()
            })
        })
        .collect();
    let matrix: Vec<u8> = matrix.into_iter().map(i8::cast_unsigned).collect();
    let mut sums = vec![0; exact.len()];
    plain_sums(&inputs, &matrix, columns, &mut sums);
    assert_eq!(sums, exact);
    sums.fill(0);
    fearless_simd::dispatch!(Level::new(), simd => sums_of(simd, &inputs, &matrix, columns, &mut sums));
    assert_eq!(sums, exact);
}

#[test]
fn rounded_rows_keep_their_values() {
    let row: Vec<f32> = (0..STEP).map(|n| n as f32 / 10.0 - 1.0).collect();
    let rounded = Rounded::of(&row, STEP);
    let (step, zero) = rounded.steps[0];
    for (byte, number) in rounded.bytes.iter().zip(&row) {
        assert!((step * (f32::from(*byte) - zero) - number).abs() <= 0.51 * step, "{byte} {number}");
    }
    assert_eq!(Rounded::of(&[0.0; STEP], STEP).bytes[..STEP], [0; STEP]);
}
